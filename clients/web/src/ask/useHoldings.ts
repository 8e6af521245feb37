import { idOf, type Problem, read } from "@scops/api";
import { useQuery } from "@tanstack/react-query";
import { isEnded } from "../jobs/useJob.ts";
import { useSession } from "../session/session.tsx";

const FRESH_MS = 60_000;
const JOBS_READ = 5;

/** What a scope holds. */
export interface Holdings {
  /** Known pages that its rules let in. */
  pages: number;
  /** There may be more of them. */
  isMore: boolean;
  /** When its newest whole crawl ended; empty where there was none. */
  crawledAt: string;
}

/** Returns what a scope holds; nothing is asked before it is wanted. */
export function useHoldings(scope: string, isWanted: boolean) {
  const { api } = useSession();
  return useQuery<Holdings, Problem>({
    queryKey: ["holdings", scope],
    enabled: isWanted,
    staleTime: FRESH_MS,
    queryFn: async ({ signal }) => {
      const path = { scope: idOf(scope) };
      const query = { scope, pageSize: JOBS_READ };
      const [preview, { jobs }] = await Promise.all([
        read(api.POST("/v1/scopes/{scope}:preview", { params: { path }, body: {}, signal })),
        read(api.GET("/v1/jobs", { params: { query }, signal })),
      ]);
      const crawl = (jobs ?? []).find((job) => isEnded(job) && !job.urls?.length);
      return {
        pages: preview.matchedCount ?? 0,
        isMore: preview.truncated ?? false,
        crawledAt: crawl?.finishTime ?? "",
      };
    },
  });
}
