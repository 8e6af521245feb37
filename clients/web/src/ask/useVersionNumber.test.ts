import { expect, test } from "vitest";
import { numberOf } from "./useVersionNumber.ts";

const newestFirst = [{ version: "c" }, { version: "b" }, { version: "a" }];

test("versions are counted from the first one on", () => {
  expect(numberOf({ newestFirst, hasMore: false }, "a")).toBe(1);
  expect(numberOf({ newestFirst, hasMore: false }, "c")).toBe(3);
});

test("a version has no number where it, or what came before, is not known", () => {
  expect(numberOf({ newestFirst, hasMore: false }, "z")).toBeUndefined();
  expect(numberOf({ newestFirst, hasMore: true }, "c")).toBeUndefined();
});
