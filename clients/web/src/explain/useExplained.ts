import { type Api, type PassageExplanation, type Problem, read } from "@scops/api";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useSession } from "../session/session.tsx";
import { type Ranking, type Weights, weightsOf } from "./presets.ts";

const PASSAGES = 12;
const SETTLES_MS = 120;

/** What is explained: a question, or an answer by what it was made of. */
export interface Explainable {
  query: string;
  scopes: string[];
  asOf: string;
  /** As the answer brought it; empty asks the index. */
  bundle: string;
}

/** A ranking, and how else it is asked for. */
export interface AskedRanking extends Ranking {
  preferred: string[];
}

export interface Explained {
  passages: PassageExplanation[];
  rationale: string;
  recipe: string;
  weights: Weights | undefined;
}

/** Explains an answer, or what a question finds now, as the default ranks it. */
export function useExplained(asked: Explainable) {
  const { api } = useSession();
  return useQuery<Explained, Problem>({
    queryKey: ["explain", asked],
    enabled: asked.query !== "" || asked.bundle !== "",
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => explained(api, asked, undefined, signal),
  });
}

/** Ranks anew by other weights; what was shown stays until it is there. */
export function useRanked(asked: Explainable, ranking: AskedRanking | undefined) {
  const { api } = useSession();
  const settled = useSettled(ranking);
  return useQuery<Explained, Problem>({
    queryKey: ["rank", asked, settled],
    enabled: settled !== undefined && ranking !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => explained(api, { ...asked, bundle: "" }, settled, signal),
  });
}

async function explained(
  api: Api,
  { query, scopes, asOf, bundle }: Explainable,
  ranking: AskedRanking | undefined,
  signal: AbortSignal,
): Promise<Explained> {
  const body = bundle
    ? { scopes, evidenceBundle: bundle }
    : {
        query,
        scopes,
        pageSize: PASSAGES,
        ...(asOf ? { asOfTime: asOf } : {}),
        ...(ranking
          ? {
              recipe: ranking.recipe,
              weights: ranking.weights,
              preferredScopes: ranking.preferred.map((scope) => ({ scope })),
            }
          : {}),
      };
  const told = await read(api.POST("/v1/explain", { body, signal }));
  return {
    passages: told.explanations ?? [],
    rationale: told.rationale ?? "",
    recipe: told.recipe ?? "",
    weights: weightsOf(told.weights),
  };
}

/** Returns a value once it has stood for a moment: a slider that moves asks once, not at every step. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
