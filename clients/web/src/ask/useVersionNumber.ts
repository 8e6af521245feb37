import { idOf, type PageVersion, type Problem, read } from "@scops/api";
import { useQuery } from "@tanstack/react-query";
import { useSession } from "../session/session.tsx";

/** Versions that are looked among; of a page of more the older ones have no number. */
const VERSIONS_READ = 100;

interface Versions {
  newestFirst: PageVersion[];
  hasMore: boolean;
}

/** Returns which version of its page a version is, from 1; nothing while that is not known. */
export function useVersionNumber(page: string, version: string): number | undefined {
  const { api } = useSession();
  const history = useQuery<Versions, Problem>({
    queryKey: ["version-numbers", page, version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const params = { path: { page: idOf(page) }, query: { pageSize: VERSIONS_READ } };
      const told = await read(api.GET("/v1/pages/{page}/versions", { params, signal }));
      return { newestFirst: told.versions ?? [], hasMore: Boolean(told.truncated) };
    },
  });
  return history.data ? numberOf(history.data, version) : undefined;
}

/** Returns the number that `PagePlace` gives a version. */
export function numberOf({ newestFirst, hasMore }: Versions, version: string): number | undefined {
  const at = newestFirst.findIndex((one) => one.version === version);
  return hasMore || at < 0 ? undefined : newestFirst.length - at;
}
