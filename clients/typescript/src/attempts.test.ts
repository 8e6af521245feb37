import { create } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import {
  Code,
  ConnectError,
  createClient,
  createRouterTransport,
  type Interceptor,
} from "@connectrpc/connect";
import { expect, test, vi } from "vitest";
import { attempts, reasonOf, reopened, retryAfterMs } from "./attempts.ts";
import { ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { JobService } from "./gen/scops/api/v1alpha1/job_service_pb.js";
import { ScopeService } from "./gen/scops/api/v1alpha1/scope_service_pb.js";

function refused(code: Code, milliseconds?: number): ConnectError {
  const delay = create(DurationSchema, { nanos: (milliseconds ?? 0) * 1_000_000 });
  return new ConnectError("no", code, undefined, [
    { desc: ErrorInfoSchema, value: { reason: "WHY", domain: "scops" } },
    ...(milliseconds === undefined
      ? []
      : [{ desc: RetryInfoSchema, value: { retryDelay: delay } }]),
  ]);
}

/** A gateway that refuses so often; it keeps the ids of requests that it saw. */
function gateway(error: ConnectError, times: number) {
  const seen: string[] = [];
  const refusing = (id: string) => {
    seen.push(id);
    if (seen.length <= times) throw error;
    return {};
  };
  const interceptors: Interceptor[] = [attempts];
  const transport = createRouterTransport(
    ({ service }) => {
      service(ScopeService, {
        getScope: () => refusing(""),
        deleteScope: () => refusing(""),
        createScope: (request) => refusing(request.requestId),
      });
      service(JobService, { cancelJob: () => refusing("") });
    },
    { transport: { interceptors } },
  );
  const scopes = createClient(ScopeService, transport);
  return { scopes, jobs: createClient(JobService, transport), seen };
}

test("an error says why, and when to come again", () => {
  const error = refused(Code.ResourceExhausted, 40);

  expect([reasonOf(error), retryAfterMs(error)]).toEqual(["WHY", 40]);
  expect([reasonOf(new Error("x")), retryAfterMs(new Error("x"))]).toEqual(["", undefined]);
});

test("what reads, and what may be done twice, is made again while nobody is there", async () => {
  for (const name of ["getScope", "createScope"] as const) {
    const { scopes, seen } = gateway(refused(Code.Unavailable), 1);
    await scopes[name]({});
    expect(seen).toHaveLength(2);
    // The same id, so that it is done once.
    expect(new Set(seen).size).toBe(1);
    expect(seen[0] !== "").toBe(name === "createScope");
  }
  const { jobs, seen } = gateway(refused(Code.Unavailable), 1);
  await jobs.cancelJob({});
  expect(seen).toHaveLength(2);
});

test("what may not be done twice is not", async () => {
  const { scopes, seen } = gateway(refused(Code.Unavailable), 1);

  await expect(scopes.deleteScope({})).rejects.toThrow("no");
  expect(seen).toHaveLength(1);
});

test("a refusal with a time is waited for, whatever was called; one without is not", async () => {
  const patient = gateway(refused(Code.ResourceExhausted, 5), 1);
  await patient.scopes.deleteScope({});
  expect(patient.seen).toHaveLength(2);

  const quota = gateway(refused(Code.ResourceExhausted), 1);
  await expect(quota.scopes.getScope({})).rejects.toThrow();
  expect(quota.seen).toHaveLength(1);
});

test("after five attempts it is told, and nothing else is tried again", async () => {
  vi.useFakeTimers();
  const { scopes, seen } = gateway(refused(Code.Unavailable), 9);
  const failed = expect(scopes.getScope({})).rejects.toThrow("no");
  await vi.runAllTimersAsync();
  await failed;
  vi.useRealTimers();
  expect(seen).toHaveLength(5);

  const wrong = gateway(refused(Code.InvalidArgument), 1);
  await expect(wrong.scopes.getScope({})).rejects.toThrow();
  expect(wrong.seen).toHaveLength(1);
});

async function* breaking(parts: number[], error?: ConnectError) {
  yield* parts;
  if (error) throw error;
}

test("a stream that lasts goes on behind its last part", async () => {
  const opened: (number | undefined)[] = [];
  const open = (last: number | undefined) => {
    opened.push(last);
    return opened.length === 1
      ? breaking([1, 2], refused(Code.Unavailable, 1))
      : breaking([(last ?? 0) + 1]);
  };
  const told: number[] = [];
  for await (const part of reopened(open, { lasts: true, signal: undefined })) told.push(part);

  expect(told).toEqual([1, 2, 3]);
  expect(opened).toEqual([undefined, 2]);
});

test("an answer that has begun does not begin again", async () => {
  const told: number[] = [];
  const read = async () => {
    const open = () => breaking([1], refused(Code.Unavailable, 1));
    for await (const part of reopened(open, { lasts: false, signal: undefined })) told.push(part);
  };

  await expect(read()).rejects.toThrow("no");
  expect(told).toEqual([1]);
});

test("who has enough is not kept waiting", async () => {
  const stop = new AbortController();
  const open = () => breaking([], refused(Code.Unavailable, 60_000));
  const reading = reopened(open, { lasts: true, signal: stop.signal }).next();
  stop.abort();

  await expect(reading).rejects.toThrow();
});
