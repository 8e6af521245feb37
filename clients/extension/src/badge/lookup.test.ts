import type { Api } from "@scops/api";
import { expect, test, vi } from "vitest";
import type { Kept } from "../server/storage.ts";
import { BadgeLookup, FRESH_MS, type Lookups } from "./lookup.ts";

vi.mock("@wxt-dev/browser", () => ({ browser: {} }));

const PAGE = "https://docs.example/a";
const version = { version: "v2", textDigest: "d2", counts: true };
const replies: Record<string, unknown> = {
  "/v1/scopes": { scopes: [{ rules: [{ kind: "KIND_PREFIX", pattern: "docs.example" }] }] },
  "/v1/pages:locate": { page: { name: "pages/p" }, matches: [] },
  "/v1/pages/{page}/versions": { versions: [version] },
};

/** A server that counts what it is asked, and a browser that keeps what was told. */
function world() {
  const asked: string[] = [];
  const clock = { now: 0 };
  let known: Lookups = { pages: {} };
  const told = async (path: string) => {
    asked.push(path);
    return { data: replies[path] };
  };
  const lookups: Kept<Lookups> = {
    get: async () => known,
    set: async (value) => {
      known = value;
    },
    watch: () => () => undefined,
  };
  const lookup = () => new BadgeLookup({ GET: told } as unknown as Api, lookups, () => clock.now);
  return { asked, clock, lookup };
}

test("a page is looked up once in a while, whether or not the worker slept in between", async () => {
  const { asked, clock, lookup } = world();
  await lookup().of(PAGE, [], {});
  await lookup().of(PAGE, [], {});
  const first = asked.length;
  clock.now = FRESH_MS;
  await lookup().of(PAGE, [], {});

  expect([first, asked.length]).toEqual([3, 6]);
});

test("pages of hosts in no scope, and of hosts that are left out, are told to nobody", async () => {
  const { asked, lookup } = world();
  const outside = await lookup().of("https://else.example/secret", [], {});
  const left = await lookup().of("https://bank.example/me", ["bank.example"], {});

  expect([outside, left]).toEqual([{ standing: "outside", changes: 0 }, undefined]);
  expect(asked).toEqual(["/v1/scopes"]);
});

test("what changed since one looked is counted, also of a page that is known already", async () => {
  const { asked, lookup } = world();
  await lookup().of(PAGE, [], {});
  const before = asked.length;
  const seen = { "pages/p": { version: "v1", textDigest: "d1", at: "2026-01-01T00:00:00Z" } };

  expect(await lookup().of(PAGE, [], seen)).toEqual({ standing: "indexed", changes: 1 });
  expect(asked).toHaveLength(before);
});
