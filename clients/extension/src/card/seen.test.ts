import { expect, test, vi } from "vitest";
import { additions, changesSince, hasChanged, type SeenPages, withSeen } from "./seen.ts";

vi.mock("@wxt-dev/browser", () => ({ browser: {} }));

const NOW = new Date("2026-06-02T12:00:00Z");
const seen = { version: "v1", textDigest: "d1", at: NOW.toISOString() };

test("a text that was read anew by another extractor is no change", () => {
  expect(hasChanged(seen, { version: "v2", textDigest: "d1" })).toBe(false);
  expect(hasChanged(seen, { version: "v2", textDigest: "d2" })).toBe(true);
  expect(hasChanged(seen, { version: "v1", textDigest: "d1" })).toBe(false);
});

test("changes count that are newer than what was seen and count for their scope", () => {
  const versions = [
    { version: "v4", counts: true },
    { version: "v3", counts: false },
    { version: "v2", counts: true, pipelineChanged: true },
    { version: "v1", counts: true },
  ];

  expect(changesSince(seen, versions)).toBe(1);
  expect(changesSince({ ...seen, version: "dropped" }, versions)).toBe(2);
});

test("of many pages the ones are forgotten that were seen longest ago", () => {
  const all: SeenPages = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, at) => [
      `pages/${at}`,
      { ...seen, at: new Date(at).toISOString() },
    ]),
  );
  const after = withSeen(all, "pages/new", { version: "v" }, NOW);

  expect(Object.keys(after)).toHaveLength(2_000);
  expect([after["pages/0"], after["pages/1"] !== undefined, after["pages/new"]?.at]).toEqual([
    undefined,
    true,
    seen.at,
  ]);
});

test("what came is looked for where it stands now, with its surroundings of now", () => {
  const parts = [
    { kind: "KIND_EQUAL", text: "The River plan costs " },
    { kind: "KIND_DELETE", text: "14" },
    { kind: "KIND_INSERT", text: "17" },
    { kind: "KIND_EQUAL", text: " euros a month." },
  ] as const;

  expect(additions([{ parts: [...parts] }])).toEqual([
    { text: "17", before: "The River plan costs ", after: " euros a month." },
  ]);
});

test("what went alone is nowhere on the page", () => {
  expect(additions([{ parts: [{ kind: "KIND_DELETE", text: "gone" }] }])).toEqual([]);
});
