import { fetchNow, type Problem } from "@scops/api";
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { useSession } from "../session/session.tsx";

/** Has a scope crawled, by name, and goes to the job that does it. */
export function useCrawl() {
  const { api } = useSession();
  const [, go] = useLocation();
  return useMutation<string, Problem, string>({
    mutationFn: (scope) => fetchNow(api, scope, []),
    onSuccess: (job) => go(`/${job}`),
  });
}
