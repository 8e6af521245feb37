import { expect, test } from "vitest";
import { isEnded, progressOf, readable, waitsFor } from "./useJob.ts";

test("a job is as far as its pages have outcomes", () => {
  expect(progressOf({ indexed: 18, blocked: 1, open: 27 })).toEqual({ done: 19, total: 46 });
  expect(progressOf(undefined)).toEqual({ done: 0, total: 0 });
});

test("pages that did not change can answer as those that were indexed", () => {
  expect(readable({ indexed: 3, unchanged: 4, dead: 5 })).toBe(7);
});

test("a job waits for the host of most open pages", () => {
  const open = (uri: string) => ({ outcome: "open", uri });
  const outcomes = [
    open("https://a.example/1"),
    open("https://b.example/1"),
    open("https://b.example/2"),
    { outcome: "indexed", uri: "https://c.example/" },
    open("no address"),
  ];

  expect(waitsFor(outcomes)).toBe("b.example");
  expect(waitsFor([])).toBeUndefined();
});

test.each([
  ["STATE_RUNNING", false],
  ["STATE_QUEUED", false],
  ["STATE_COMPLETED", true],
  ["STATE_CANCELLED", true],
] as const)("a job that is %s has ended: %s", (state, ended) => {
  expect(isEnded({ scope: "scopes/tarn", state })).toBe(ended);
});
