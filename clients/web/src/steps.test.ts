import { expect, test } from "vitest";
import { placeAfter, stepOf } from "./steps.ts";

test("a step leads on and back, and stays in the list", () => {
  expect(placeAfter(-1, 1, 3)).toBe(0);
  expect(placeAfter(-1, -1, 3)).toBe(2);
  expect(placeAfter(1, 1, 3)).toBe(2);
  expect(placeAfter(2, 1, 3)).toBe(2);
  expect(placeAfter(0, -1, 3)).toBe(0);
});

test("letters step from anywhere, arrows from a step alone: elsewhere they scroll", () => {
  expect(["j", "n", "k", "p"].map((key) => stepOf(key, false))).toEqual([1, 1, -1, -1]);
  expect(stepOf("ArrowDown", true)).toBe(1);
  expect(stepOf("ArrowUp", true)).toBe(-1);
  expect(stepOf("ArrowDown", false)).toBeUndefined();
  expect(stepOf("x", true)).toBeUndefined();
});
