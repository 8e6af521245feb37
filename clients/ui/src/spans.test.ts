import { expect, test } from "vitest";
import { cut } from "./spans.ts";

test("a span is counted in code points, not in UTF-16 units", () => {
  expect(cut("😀 owls hunt", 2, 6)).toEqual({ before: "😀 ", quote: "owls", after: " hunt" });
});

test("a span at the end of a text is whole", () => {
  expect(cut("a😀", 1, 2)).toEqual({ before: "a", quote: "😀", after: "" });
});

test.each([
  [-1, 2],
  [0, 9],
  [2, 2],
  [3, 1],
])("from %i to %i there is nothing of a text of three", (start, end) => {
  expect(cut("abc", start, end)).toBeUndefined();
});
