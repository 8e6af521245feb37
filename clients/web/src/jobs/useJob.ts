import { idOf, type Job, type JobCounts, type PageOutcome, type Problem, read } from "@scops/api";
import { useQuery } from "@tanstack/react-query";
import { useSession } from "../session/session.tsx";

const LOOKS_AGAIN_MS = 1000;
const ENDED = new Set(["STATE_COMPLETED", "STATE_FAILED", "STATE_CANCELLED"]);
/** In the order in which they are drawn. */
export const OUTCOMES = [
  "indexed",
  "unchanged",
  "joined",
  "gone",
  "blocked",
  "dead",
  "cancelled",
  "open",
] as const;

export interface Followed {
  job: Job | undefined;
  outcomes: PageOutcome[];
  outcomesMissingReason: string;
}

/** Follows a job until it has ended. */
export function useJob(name: string) {
  const { api } = useSession();
  return useQuery<Followed, Problem>({
    queryKey: ["job", name],
    queryFn: async ({ signal }) => {
      const path = { job: idOf(name) };
      const told = await read(api.GET("/v1/jobs/{job}", { params: { path }, signal }));
      return {
        job: told.job,
        outcomes: told.outcomes ?? [],
        outcomesMissingReason: told.outcomesMissingReason ?? "",
      };
    },
    refetchInterval: (query) => {
      const job = query.state.data?.job;
      return job && isEnded(job) ? false : LOOKS_AGAIN_MS;
    },
  });
}

export function isEnded(job: Job): boolean {
  return ENDED.has(job.state ?? "");
}

/** Returns how many pages of a job can answer. */
export function readable(counts: JobCounts | undefined): number {
  return (counts?.indexed ?? 0) + (counts?.unchanged ?? 0);
}

/** Returns all pages of a job, and those whose outcome is known. */
export function progressOf(counts: JobCounts | undefined): { done: number; total: number } {
  const total = OUTCOMES.reduce((sum, outcome) => sum + (counts?.[outcome] ?? 0), 0);
  return { done: total - (counts?.open ?? 0), total };
}

/** Returns the host that most open pages of a job are of. */
export function waitsFor(outcomes: PageOutcome[]): string | undefined {
  const hosts = new Map<string, number>();
  for (const { outcome, uri } of outcomes) {
    if (outcome !== "open" || !uri || !URL.canParse(uri)) continue;
    const { host } = new URL(uri);
    hosts.set(host, (hosts.get(host) ?? 0) + 1);
  }
  return [...hosts].sort((one, other) => other[1] - one[1])[0]?.[0];
}
