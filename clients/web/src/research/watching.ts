import { type Api, idOf, Problem, problemOf, type Research, read } from "@scops/api";
import { useEffect, useState } from "react";
import { events } from "../ask/streaming.ts";
import { useSession } from "../session/session.tsx";
import { hasEnded } from "./looks.ts";

const AGAIN_MS = 2000;
/** Why a stream ends that is opened again: it was open long enough, or its server was away. */
const PASSING = new Set([
  "DEADLINE_EXCEEDED",
  "GATEWAY_STOPPING",
  "SERVER_UNREACHABLE",
  "STREAM_BROKEN_OFF",
  "STREAM_TIME_OVER",
]);

export interface Watched {
  run?: Research;
  problem?: Problem;
}

/** Watches a run until it has ended. */
export function useResearch(name: string): Watched {
  const { api } = useSession();
  const [watched, setWatched] = useState<Watched>({});
  useEffect(() => {
    const leaving = new AbortController();
    void watch(api, name, leaving.signal, setWatched);
    return () => leaving.abort();
  }, [api, name]);
  return watched;
}

type Tell = (change: (seen: Watched) => Watched) => void;

async function watch(api: Api, name: string, signal: AbortSignal, tell: Tell): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const run of runs(api, name, signal)) {
        tell(() => ({ run }));
        if (hasEnded(run)) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      // A connection that breaks while it is read tells no reason of ours.
      const problem = error instanceof Problem ? error : undefined;
      if (problem) tell((seen) => ({ ...seen, problem }));
      if (problem && !PASSING.has(problem.reason)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** Yields a run as it stands, and whenever it has gone on. */
async function* runs(api: Api, name: string, signal: AbortSignal): AsyncGenerator<Research> {
  const params = { path: { researche: idOf(name) } };
  // It lasts longer than other calls may.
  const headers = { "connect-timeout-ms": null };
  const call = api.GET("/v1/researches/{researche}:watch", {
    params,
    headers,
    signal,
    parseAs: "stream",
  });
  const stream = (await read(call)) as unknown as ReadableStream<Uint8Array>;
  for await (const { name: kind, data } of events(stream)) {
    if (kind === "problem") throw problemOf(JSON.parse(data));
    if (kind === "end") return;
    const told = JSON.parse(data) as { research?: Research };
    if (told.research) yield told.research;
  }
}
