import { expect, test } from "vitest";
import { folderOf, linksWithin, piecesOf, ruleOf } from "./pattern.ts";

const URL = "https://docs.tarn.example:8443/uplink/install.html?v=2";
const pieces = piecesOf(URL);

test("an address is cut at its host and at each segment", () => {
  expect(pieces).toEqual(["docs.tarn.example:8443", "/uplink", "/install.html"]);
  expect(piecesOf("https://tarn.example/")).toEqual(["tarn.example"]);
});

test("a pattern holds what it names and all below", () => {
  expect(ruleOf(pieces, 2)).toEqual({
    kind: "KIND_PREFIX",
    pattern: "docs.tarn.example:8443/uplink",
  });
});

test.each([
  [URL, 2],
  ["https://docs.tarn.example:8443/uplink/", 2],
  ["https://docs.tarn.example:8443/", 1],
])("the folder of %s has %i pieces", (url, length) => {
  expect(folderOf(piecesOf(url), url)).toBe(length);
});

test("links count by whole segments, and on their own host", () => {
  const links = [
    "https://docs.tarn.example:8443/uplink",
    "https://docs.tarn.example:8443/uplink/a/b",
    "https://docs.tarn.example:8443/uplinks",
    "https://docs.tarn.example/uplink",
  ];

  expect(linksWithin(links, pieces, 2)).toEqual(links.slice(0, 2));
});
