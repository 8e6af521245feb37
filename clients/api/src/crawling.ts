import { type Api, read } from "./client.ts";
import { idOf } from "./names.ts";
import type { PageOutcome } from "./values.ts";

const LOOKS_EVERY_MS = 500;
const PATIENCE_MS = 120_000;
const OPEN = "open";

/** Has pages of a scope fetched now; returns the job. */
export async function fetchNow(api: Api, scope: string, urls: string[]): Promise<string> {
  const { job } = await read(
    api.POST("/v1/scopes/{scope}:crawl", {
      params: { path: { scope: idOf(scope) }, query: { requestId: crypto.randomUUID() } },
      body: urls.length > 0 ? { urls } : {},
    }),
  );
  return job?.name ?? "";
}

/** Waits until the first page of a job has an outcome; nothing where that takes too long. */
export async function outcomeOf(
  api: Api,
  job: string,
  signal: AbortSignal,
): Promise<PageOutcome | undefined> {
  const until = Date.now() + PATIENCE_MS;
  while (!signal.aborted && Date.now() < until) {
    const params = { path: { job: idOf(job) } };
    const { outcomes } = await read(api.GET("/v1/jobs/{job}", { params, signal }));
    const first = outcomes?.[0];
    if (first && first.outcome !== OPEN) return first;
    await new Promise((resolve) => setTimeout(resolve, LOOKS_EVERY_MS));
  }
  return undefined;
}
