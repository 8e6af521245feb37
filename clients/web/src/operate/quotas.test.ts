import { expect, test } from "vitest";
import { amount, usedPercent } from "./quotas.ts";

test("what is used is a share of its bound, and of no bound none", () => {
  expect(usedPercent({ name: "pages", limit: "200", used: "50" })).toBe(25);
  expect(usedPercent({ name: "pages", limit: "200", used: "900" })).toBe(100);
  expect(usedPercent({ name: "pages", used: "50" })).toBeUndefined();
});

test("cost is said in the currency, the rest as it is", () => {
  const cost = { name: "model_cost", limit: "2500000" };

  expect(amount(cost, cost.limit, "en-GB")).toBe("2.5");
  expect(amount({ name: "bytes" }, "12345", "en-GB")).toBe("12,345");
});
