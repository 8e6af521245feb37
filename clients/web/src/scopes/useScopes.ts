import { type Problem, read, type Scope } from "@scops/api";
import { useQuery } from "@tanstack/react-query";
import { useSession } from "../session/session.tsx";

const PAGE_SIZE = 200;
/** More scopes than this are not listed; the filter of the API finds them by name. */
const SCOPES_MAX = 1000;

/** Returns the scopes that the caller may see, by name. */
export function useScopes() {
  const { api } = useSession();
  return useQuery<Scope[], Problem>({
    queryKey: ["scopes"],
    queryFn: async ({ signal }) => {
      const scopes: Scope[] = [];
      let pageToken = "";
      do {
        const query = { pageSize: PAGE_SIZE, ...(pageToken ? { pageToken } : {}) };
        const listed = await read(api.GET("/v1/scopes", { params: { query }, signal }));
        scopes.push(...(listed.scopes ?? []));
        pageToken = listed.nextPageToken ?? "";
      } while (pageToken && scopes.length < SCOPES_MAX);
      return scopes;
    },
  });
}
