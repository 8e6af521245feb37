import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";

// When a call that failed is made again: the policy of docs/api/python.md, which all clients share.
const ATTEMPTS_MAX = 5;
const FIRST_PAUSE_MS = 200;
const PAUSE_MS_MAX = 10_000;
/** Changes no more when it is done twice, whatever the protos say. */
const HARMLESS = new Set(["Answer", "CancelJob", "PinPageVersion"]);
const NO_SIDE_EFFECTS = 1;

/** Returns why a call failed, for programs, as docs/reference/errors.md lists it. */
export function reasonOf(error: unknown): string {
  return ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason ?? "";
}

/** Returns after how many milliseconds a call may come again; undefined where nobody says. */
export function retryAfterMs(error: unknown): number | undefined {
  const delay = ConnectError.from(error).findDetails(RetryInfoSchema)[0]?.retryDelay;
  return delay && Number(delay.seconds) * 1000 + delay.nanos / 1_000_000;
}

/** Makes a call again where that helps; the time that it has is for all attempts together. */
export const attempts: Interceptor = (next) => async (call) => {
  if (call.stream) return next(call);
  const isHarmless = prepared(call.method, call.message as unknown as Record<string, unknown>);
  for (let number = 1; ; number++) {
    try {
      return await next(call);
    } catch (error) {
      if (number === ATTEMPTS_MAX || !mayRepeat(error, isHarmless)) throw error;
      await pause(pauseMs(error, number), call.signal);
    }
  }
};

/**
 * Reads a stream, and opens it again where it breaks off and that helps.
 *
 * @param open opens it until a signal; what it had told last, if anything, says where it goes on.
 * @param lasts whether it goes on until something ends; others begin anew only before their first
 *   part.
 */
export async function* reopened<Part>(
  open: (last: Part | undefined, signal: AbortSignal) => AsyncIterable<Part>,
  { lasts, signal }: { lasts: boolean; signal: AbortSignal | undefined },
): AsyncGenerator<Part> {
  let last: Part | undefined;
  for (let failures = 1; ; failures++) {
    // A reader who leaves ends what is open.
    const left = new AbortController();
    try {
      const until = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
      for await (const part of open(last, until)) {
        failures = 0;
        last = part;
        yield part;
      }
      return;
    } catch (error) {
      const isOver = failures === ATTEMPTS_MAX || (last !== undefined && !lasts);
      if (isOver || signal?.aborted || !mayRepeat(error, true)) throw error;
      await pause(pauseMs(error, Math.max(failures, 1)), signal);
    } finally {
      left.abort();
    }
  }
}

/** Gives a call an id of its own where it takes one; returns whether it may be made twice. */
function prepared(method: DescMethod, message: Record<string, unknown>): boolean {
  if (message.requestId === "") message.requestId = crypto.randomUUID();
  return (
    Number(method.idempotency) === NO_SIDE_EFFECTS ||
    HARMLESS.has(method.name) ||
    typeof message.requestId === "string"
  );
}

function mayRepeat(error: unknown, isHarmless: boolean): boolean {
  const { code } = ConnectError.from(error);
  // Refused before anything was done; without a time, waiting does not help.
  if (code === Code.ResourceExhausted) return retryAfterMs(error) !== undefined;
  return code === Code.Unavailable && isHarmless;
}

function pauseMs(error: unknown, number: number): number {
  const grown = Math.min(FIRST_PAUSE_MS * 2 ** (number - 1) * (0.5 + Math.random()), PAUSE_MS_MAX);
  return Math.max(retryAfterMs(error) ?? 0, grown);
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(ConnectError.from(signal?.reason, Code.Canceled));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
