import { expect, test } from "vitest";
import { coverageOf, fetchedOf, hasEnded, looksOf } from "./looks.ts";

const start = { uri: "https://a.test/", outcome: "known" };
const next = { uri: "https://a.test/b", outcome: "indexed", step: 1 };
const open = { uri: "https://a.test/c", step: 1 };
const run = {
  question: "How deep?",
  state: "STATE_RUNNING",
  pages: [start, next, open],
  steps: [{ number: 1, coverage: 0.2 }],
} as const;

test("each look stands behind the pages that were chosen for it", () => {
  const looked = looksOf({ ...run, pages: [...run.pages], steps: [...run.steps] });

  expect(looked).toEqual([
    { number: 1, pages: [start], look: run.steps[0] },
    { number: 2, pages: [next, open], look: undefined },
  ]);
  expect(looksOf({ question: "How deep?" })).toEqual([]);
});

test("a run says how far it is", () => {
  const told = { ...run, pages: [...run.pages], steps: [...run.steps] };

  expect(coverageOf(told)).toBe(0.2);
  expect(fetchedOf(told)).toBe(1);
  expect([hasEnded(undefined), hasEnded(told)]).toEqual([false, false]);
  expect(hasEnded({ ...told, state: "STATE_CANCELLED" })).toBe(true);
});
