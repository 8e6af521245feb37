import { expect, test } from "vitest";
import { viewOf } from "./pdf.ts";

test("a viewer is told the page, and the words that the citation's link names", () => {
  const fragmentUri = "https://a.example/r.pdf#page=3:~:text=A%20grown,grams.";
  expect(viewOf({ pageNumber: 3, fragmentUri })).toBe(
    "#page=3&navpanes=0&view=FitH:~:text=A%20grown,grams.",
  );
});

test("a link without words names the page alone", () => {
  const fragmentUri = "file://reports/2026.pdf#page=2";
  expect(viewOf({ pageNumber: 2, fragmentUri })).toBe("#page=2&navpanes=0&view=FitH");
});
