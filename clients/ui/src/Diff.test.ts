import { expect, test } from "vitest";
import { joined } from "./Diff.tsx";

const same = (text: string) => ({ kind: "KIND_EQUAL", text });
const gone = (text: string) => ({ kind: "KIND_DELETE", text });
const fresh = (text: string) => ({ kind: "KIND_INSERT", text });

test("edits that only white space separates are one replacement", () => {
  const parts = [same("may "), gone("of"), fresh("not"), same(" "), gone("up"), fresh("even")];

  expect(joined(parts)).toEqual([same("may "), gone("of up"), fresh("not even")]);
});

test("words that stay keep edits apart", () => {
  const parts = [gone("14"), fresh("17"), same(" euros a "), gone("month"), fresh("year")];

  expect(joined(parts)).toEqual(parts);
});

test("white space between two removals alone does not become a replacement", () => {
  const parts = [gone("a"), same(" "), gone("b")];

  expect(joined(parts)).toEqual(parts);
});
