import { expect, test } from "vitest";
import { duration, exact, isWeb, relative, riskOf, shortAddress, signed } from "./format.ts";

const NOW = new Date("2026-06-02T14:00:00Z");

test.each([
  ["2026-06-02T13:59:40Z", "20 sec ago"],
  ["2026-06-02T12:00:00Z", "2 hr ago"],
  ["2026-06-01T14:00:00Z", "yesterday"],
  ["2026-05-22T06:41:48Z", "22 May"],
  ["2025-05-22T06:41:48Z", "22 May 2025"],
])("%s is said as %s", (instant, said) => {
  expect(relative(new Date(instant), NOW, "en-GB")).toBe(said);
});

test("an exact time names its zone", () => {
  expect(exact(new Date("2026-05-22T06:41:48Z"), "en-GB")).toMatch(/^22 May 2026.*06:41:48 UTC$/);
});

test.each([
  [46, "46 sec"],
  [500, "8 min"],
  [20_000, "6 hr"],
])("%i seconds are %s", (seconds, said) => {
  expect(duration(seconds, "en-US")).toBe(said);
});

test.each([
  [0, "low"],
  [0.0199, "low"],
  [0.02, "medium"],
  [0.2, "medium"],
  [0.21, "high"],
])("a chance of %d is %s", (probability, risk) => {
  expect(riskOf(probability)).toBe(risk);
});

test("an address is shown without its scheme", () => {
  expect(shortAddress("https://tarn.example/a?b=c")).toBe("tarn.example/a?b=c");
});

test.each([
  [0.3849, "+0.385"],
  [-1.5, "−1.500"],
  [0, "0.000"],
  [-0.0001, "0.000"],
])("%d adds %s", (value, said) => {
  expect(signed(value, 3, "always")).toBe(said);
});

test("a plain measure has a sign only below nought", () => {
  expect([signed(2, 1, "negative"), signed(-2, 1, "negative")]).toEqual(["2.0", "−2.0"]);
});

test.each([
  ["https://tarn.example/a", true],
  ["file://reports/2026.pdf", false],
  ["javascript:alert(1)", false],
])("whether a browser can open %s: %s", (uri, can) => {
  expect(isWeb(uri)).toBe(can);
});
