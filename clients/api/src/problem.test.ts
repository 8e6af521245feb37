import { afterEach, expect, test, vi } from "vitest";
import { connect, read } from "./client.ts";
import { problemOf, UNREACHABLE } from "./problem.ts";

afterEach(() => vi.unstubAllGlobals());

function answering(body: unknown, status: number): Request[] {
  const seen: Request[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    seen.push(request);
    return new Response(JSON.stringify(body), {
      status,
      headers: { "content-type": "application/json" },
    });
  });
  return seen;
}

test("a problem document keeps what people and programs need of it", () => {
  const problem = problemOf({
    detail: "Wait.",
    reason: "OVERLOADED",
    status: 429,
    retryAfterSeconds: 2,
    metadata: { limit: "8", odd: 8 },
  });

  expect([problem.message, problem.reason, problem.status, problem.retryAfterSeconds]).toEqual([
    "Wait.",
    "OVERLOADED",
    429,
    2,
  ]);
  expect(problem.metadata).toEqual({ limit: "8" });
});

test.each([undefined, null, "<html>", 7, {}, { detail: 1, reason: 2 }])(
  "%j is no problem document, and is said to be none",
  (error) => {
    expect(problemOf(error).reason).toBe("RESPONSE_UNREADABLE");
  },
);

test("a refusal is thrown with its reason", async () => {
  answering({ detail: "No.", reason: "NOT_PERMITTED", status: 403, metadata: {} }, 403);

  await expect(read(connect("", "http://gateway").GET("/v1/me"))).rejects.toMatchObject({
    reason: "NOT_PERMITTED",
  });
});

test("a gateway that is not there is a problem like others", async () => {
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("failed to fetch");
  });

  await expect(read(connect("", "http://gateway").GET("/v1/me"))).rejects.toMatchObject({
    reason: UNREACHABLE,
  });
});

test("a key goes into the header of every call, and none where there is none", async () => {
  const seen = answering({ principal: "local" }, 200);

  await read(connect("scops_k", "http://gateway").GET("/v1/me"));
  await read(connect("", "http://gateway").GET("/v1/me"));

  expect(seen.map((request) => request.headers.get("authorization"))).toEqual([
    "Bearer scops_k",
    null,
  ]);
});
