import { expect, test } from "vitest";
import { draftOf, isSame, linesOf, rulesOf, withRule } from "./draft.ts";

const scope = {
  rules: [
    { kind: "KIND_PREFIX" as const, pattern: "a.example" },
    { kind: "KIND_GLOB" as const, pattern: "a.example/*/old", exclude: true },
  ],
  seeds: ["https://a.example/"],
};

test("a draft says what its scope says until something is changed", () => {
  const draft = draftOf(scope);

  expect(isSame(draft, scope)).toBe(true);
  expect(isSame({ ...draft, seeds: "" }, scope)).toBe(false);
  expect(isSame({ ...draft, seeds: "\n https://a.example/ \n" }, scope)).toBe(true);
});

test("a rule that is not written yet is none", () => {
  const draft = withRule(draftOf(scope));

  expect(draft.rules.map((rule) => rule.id)).toEqual([0, 1, 2]);
  expect(rulesOf(draft)).toHaveLength(2);
  expect(isSame(draft, scope)).toBe(true);
});

test("lines are addresses, empty ones none", () => {
  expect(linesOf("https://a.example/\n\n  https://b.example/ \n")).toEqual([
    "https://a.example/",
    "https://b.example/",
  ]);
});
