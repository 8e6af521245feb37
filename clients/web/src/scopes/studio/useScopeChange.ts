import type { Api, Problem } from "@scops/api";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSession } from "../../session/session.tsx";

/** Changes a scope; what is shown of it is read anew, also where the change was refused. */
export function useScopeChange<T>(name: string, change: (api: Api, value: T) => Promise<unknown>) {
  const { api } = useSession();
  const queries = useQueryClient();
  return useMutation<unknown, Problem, T>({
    mutationFn: (value) => change(api, value),
    onSettled: async () => {
      for (const key of [["scope", name], ["revisions", name], ["scopes"]]) {
        await queries.invalidateQueries({ queryKey: key });
      }
    },
  });
}
