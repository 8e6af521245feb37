import { connect } from "@scops/api";
import { afterEach, expect, test, vi } from "vitest";
import type { AskedTurn } from "./conversation.ts";
import { resolve } from "./resolving.ts";

const API = connect("", "http://127.0.0.1:7301");

afterEach(() => vi.unstubAllGlobals());

/** A gateway that says of each citation, in its own order, which version it asked for. */
function gateway(): number[] {
  const sizes: number[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { citations } = (await request.json()) as { citations: Record<string, unknown>[] };
    sizes.push(citations.length);
    const told = citations.map(({ number, version }) => ({ number, version })).reverse();
    return Response.json({ citations: told });
  });
  return sizes;
}

function turn(id: string, versions: string[]): AskedTurn {
  const citations = versions.map((version, place) => ({ number: place + 1, version }));
  return { id, query: "", scopes: [], asOf: "", askedAt: "", answer: { citations } };
}

test("citations of several answers are looked up at once and told apart", async () => {
  const sizes = gateway();

  const found = await resolve(API, [turn("a", ["v1", "v2"]), turn("b", ["v3"]), turn("c", [])]);

  expect(sizes).toEqual([3]);
  expect(Object.fromEntries(found)).toEqual({
    a: { 1: { number: 1, version: "v1" }, 2: { number: 2, version: "v2" } },
    b: { 1: { number: 1, version: "v3" } },
  });
});

test("more than the gateway takes are looked up by parts", async () => {
  const sizes = gateway();
  const versions = Array.from({ length: 60 }, (_, place) => `v${place}`);

  const found = await resolve(API, [turn("a", versions)]);

  expect(sizes).toEqual([50, 10]);
  expect(found.get("a")?.[60]).toEqual({ number: 60, version: "v59" });
});

test("without citations nothing is asked", async () => {
  const sizes = gateway();

  expect([...(await resolve(API, [turn("a", [])]))]).toEqual([]);
  expect(sizes).toEqual([]);
});
