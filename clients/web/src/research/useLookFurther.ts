import { type Problem, read } from "@scops/api";
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { useSession } from "../session/session.tsx";

export interface Wanted {
  question: string;
  /** Where it starts; or a scope in which it looks further. */
  uri?: string;
  scope?: string;
  /** Scopes that are asked besides. */
  scopes: string[];
}

/** Begins a run that fetches pages until they answer, and goes to where it is shown. */
export function useLookFurther() {
  const { api } = useSession();
  const [, go] = useLocation();
  return useMutation<string, Problem, Wanted>({
    mutationFn: async (wanted) => {
      const params = { query: { requestId: crypto.randomUUID() } };
      const told = await read(api.POST("/v1/researches", { params, body: wanted }));
      return told.research?.name ?? "";
    },
    onSuccess: (name) => go(`/${name}`),
  });
}
