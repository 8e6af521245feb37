import { expect, test } from "vitest";
import { staysOf, versionOn } from "./stays.ts";

const NEWEST = { version: "c", observedFromTime: "2026-05-01T06:00:00Z" };
const MIDDLE = {
  version: "b",
  observedFromTime: "2026-04-11T09:00:00Z",
  observedToTime: "2026-05-01T06:00:00Z",
};
const OLDEST = {
  version: "a",
  observedFromTime: "2026-04-01T09:00:00Z",
  observedToTime: "2026-04-11T09:00:00Z",
};
const VERSIONS = [NEWEST, MIDDLE, OLDEST];

test("stays fill the time that the page is known, the oldest first", () => {
  const stays = staysOf(VERSIONS, Date.parse("2026-05-11T09:00:00Z"));

  expect(stays.map((stay) => stay.version)).toEqual(["a", "b", "c"]);
  expect(stays[0]).toEqual({ version: "a", start: 0, width: 25 });
  expect(stays.reduce((sum, stay) => sum + stay.width, 0)).toBeCloseTo(100);
});

test("a page of one version has one stay", () => {
  expect(staysOf([NEWEST], Date.parse("2026-05-01T06:00:00Z"))).toHaveLength(1);
  expect(staysOf([], 0)).toEqual([]);
});

test("a day has the version that stood at its end", () => {
  expect(versionOn(VERSIONS, "2026-04-30")?.version).toBe("b");
  expect(versionOn(VERSIONS, "2026-05-01")?.version).toBe("c");
  expect(versionOn(VERSIONS, "2026-03-31")).toBeUndefined();
});
