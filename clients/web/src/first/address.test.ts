import { expect, test } from "vitest";
import { addressOf, isName, nameFor, prefixOf } from "./address.ts";

test.each([
  ["https://tarn.example/guide/", "https://tarn.example/guide/"],
  ["  tarn.example ", "https://tarn.example/"],
  ["http://127.0.0.1:8099/", "http://127.0.0.1:8099/"],
  ["localhost:8099/a", "https://localhost:8099/a"],
  ["two words", undefined],
  ["javascript:alert(1)", undefined],
  ["javascript://x.y/%0aalert(1)", undefined],
  ["file:///etc/passwd", undefined],
  ["word", undefined],
  ["", undefined],
])("%j is read as %j", (pasted, address) => {
  expect(addressOf(pasted)?.href).toBe(address);
});

test.each([
  ["https://tarn.example/", "tarn"],
  ["https://www.tarn.example/", "tarn"],
  ["https://docs.tarn.example/", "docs-tarn"],
  ["http://127.0.0.1:8099/", "site"],
  ["http://[::1]:8099/", "site"],
  ["https://42.example/", "site-42"],
])("the scope of %s may be called %s", (address, name) => {
  expect(nameFor(new URL(address))).toBe(name);
  expect(isName(name)).toBe(true);
});

test.each(["", "Tarn", "1st", "a_b", "a".repeat(64)])("%j is no name", (name) => {
  expect(isName(name)).toBe(false);
});

test("a folder ends at the last slash of its address", () => {
  const url = new URL("https://tarn.example:8443/guide/start.html?a=b");

  expect(prefixOf(url, "BOUNDARY_SUBPAGES")).toBe("tarn.example:8443/guide");
  expect(prefixOf(url, "BOUNDARY_HOST")).toBe("tarn.example:8443");
  expect(prefixOf(url, "BOUNDARY_DOMAIN")).toBeUndefined();
});
