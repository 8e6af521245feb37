import { expect, test } from "vitest";
import { faultsOf, secondsOf } from "./health.ts";

test("pages that are missing are counted by reason, the most frequent first", () => {
  const outcomes = [
    { outcome: "indexed", uri: "https://a.example/" },
    { outcome: "gone", reason: "not_found", uri: "https://a.example/1" },
    { outcome: "blocked", reason: "robots", uri: "https://a.example/2" },
    { outcome: "blocked", reason: "robots", uri: "https://a.example/3" },
  ];

  expect(faultsOf(outcomes)).toEqual([
    { outcome: "blocked", reason: "robots", count: 2, example: "https://a.example/2" },
    { outcome: "gone", reason: "not_found", count: 1, example: "https://a.example/1" },
  ]);
});

test("a job that runs has taken no time yet", () => {
  const running = { scope: "scopes/a", createTime: "2026-05-01T10:00:00Z" };

  expect(secondsOf({ ...running, finishTime: "2026-05-01T10:01:30Z" })).toBe(90);
  expect(secondsOf(running)).toBeUndefined();
});
