import type { Api } from "@scops/api";
import { expect, test } from "vitest";
import { placeOf, standingOf } from "./place.ts";

/** A server that knows a page, and answers what is asked of its versions. */
function server(versions: { data?: unknown; error?: unknown }): Api {
  const told = async (path: string) => (path.endsWith("locate") ? { data: { page } } : versions);
  return { GET: told } as unknown as Api;
}

const rule = (exclude = false) => ({ scope: "scopes/a", rule: { pattern: "a.example", exclude } });
const page = { name: "pages/p" };
const version = { version: "v" };

test.each([
  ["indexed", { page, matches: [rule()] }, { versions: [version] }],
  ["gone", { page, matches: [rule()] }, { versions: [version], closed: true }],
  ["matched", { page, matches: [rule()] }, { versions: [] }],
  ["matched", { matches: [rule(true), rule()] }, undefined],
  ["kept-out", { matches: [rule(true)] }, undefined],
  ["outside", {}, undefined],
] as const)("a page is %s", (standing, located, history) => {
  const place = structuredClone({ located, history }) as Parameters<typeof standingOf>[0];

  expect(standingOf(place)).toBe(standing);
});

test("a page that is known and was not fetched yet is let in, not an error", async () => {
  const error = { detail: "No version.", reason: "PAGE_NOT_FOUND", status: 404 };

  expect(standingOf(await placeOf(server({ error }), "https://a.example/"))).toBe("matched");
});

test("what is wrong with a server is not taken for a page without versions", async () => {
  const error = { detail: "Later.", reason: "OVERLOADED", status: 429 };

  await expect(placeOf(server({ error }), "https://a.example/")).rejects.toThrow("Later.");
});
