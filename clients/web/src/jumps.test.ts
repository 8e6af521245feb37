import { expect, test } from "vitest";
import { placeByKey, weightsOf } from "./jumps.ts";

test("arrows lead on and back and stay on the strip, Home and End to its ends", () => {
  expect(["ArrowDown", "ArrowUp", "Home", "End"].map((key) => placeByKey(key, 1, 4))).toEqual([
    2, 0, 0, 3,
  ]);
  expect(placeByKey("ArrowDown", 3, 4)).toBe(3);
  expect(placeByKey("ArrowUp", 0, 4)).toBe(0);
  expect(placeByKey("Tab", 1, 4)).toBeUndefined();
});

test("a hunk weighs what of it came and went, beside the one that changes most", () => {
  const hunks = [
    {
      parts: [
        { kind: "KIND_EQUAL" as const, text: "It costs a lot, " },
        { kind: "KIND_DELETE" as const, text: "14" },
        { kind: "KIND_INSERT" as const, text: "17" },
      ],
    },
    { parts: [{ kind: "KIND_INSERT" as const, text: "sixteen" }] },
    {},
  ];

  expect(weightsOf(hunks)).toEqual([4 / 7, 1, 0]);
  expect(weightsOf([])).toEqual([]);
});
