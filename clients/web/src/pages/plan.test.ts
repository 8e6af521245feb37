import { expect, test } from "vitest";
import { messagesOf } from "../messages/index.ts";
import { planText } from "./plan.ts";

const HOST = { host: "example.org", hostDelaySeconds: 1.5, asksForChanges: true };
const SCHEDULE = {
  checkTime: "2026-03-01T00:00:00Z",
  changeRate: 0.03333,
  changeRateLow: 0.01,
  changeRateHigh: 0.2,
  staleProbability: 0.25,
  signals: ["feed", "of_tomorrow"],
  value: 2,
  threshold: 1.5,
  importance: 1,
  dueTime: "2026-03-04T00:00:00Z",
  budgetScope: "scopes/lakes",
  budgetPerDay: 1000,
};
const EN = messagesOf("en");

test("before the first check a plan is how the host is asked", () => {
  expect(planText(HOST, EN)).toBe(
    "example.org is asked at most every 1.5 s. The next fetch asks whether the page changed.",
  );
  expect(
    planText({ ...HOST, asksForChanges: false, hostNextTime: "2026-03-01T00:00:00Z" }, EN),
  ).toMatch(/not asked before 1 March 2026.* UTC\. The next fetch asks for the whole page\.$/);
});

test("a schedule is said with numbers as the language writes them", () => {
  const said = planText({ ...HOST, schedule: SCHEDULE }, messagesOf("de"));

  expect(said).toContain("Sie ändert sich 0,0333-mal am Tag (0,01 bis 0,2).");
  expect(said).toContain("der Feed, of_tomorrow");
  expect(said).toContain("Das bezahlt @lakes mit 1.000 Abrufen am Tag.");
  expect(said).not.toContain("Länger darf nichts warten");
});

test.each([
  [{ byFloor: true }, "nothing may wait longer"],
  [{ budgetScope: "" }, "The organisation pays"],
  [{ staleProbability: 0.001 }, "a probability of < 1%"],
  [{ changeTime: "2026-02-01T00:00:00Z" }, "A check found it changed at 1 February 2026"],
])("with %j it says %s", (differs, said) => {
  expect(planText({ ...HOST, schedule: { ...SCHEDULE, ...differs } }, EN)).toContain(said);
});

test("without a budget nothing is due", () => {
  const { dueTime: _, ...never } = SCHEDULE;
  const said = planText({ ...HOST, schedule: never }, EN);

  expect(said).toContain("No budget keeps it fresh.");
  expect(said).not.toContain("pays");
});
