import type { Answer, Citation, PageFreshness, ResolvedCitation } from "@scops/api";
import type { CiteState } from "./Cite.tsx";
import { riskOf } from "./format.ts";

/** Says how a citation stands: as its answer said, or as looking it up again found. */
export function stateOf(
  citation: Citation,
  freshness: PageFreshness | undefined,
  resolved: ResolvedCitation | undefined,
): CiteState {
  if (resolved?.anchor === "ANCHOR_TOMBSTONE" || resolved?.pageClosed) return "gone";
  if (resolved?.anchor === "ANCHOR_SUPERSEDED") return "superseded";
  if (!resolved && citation.superseded) return "superseded";
  return riskOf(freshness?.risk ?? 0) === "low" ? "current" : "risky";
}

/** Returns how fresh the version of a citation is. */
export function freshnessOf(answer: Answer, citation: Citation): PageFreshness | undefined {
  return answer.freshness?.pages?.find((page) => page.page === citation.page);
}

/** Returns citations by page, in the order in which the answer names the pages. */
export function byPage(citations: Citation[]): Citation[][] {
  const pages = new Map<string, Citation[]>();
  for (const citation of citations) {
    const key = `${citation.page} ${citation.version}`;
    pages.set(key, [...(pages.get(key) ?? []), citation]);
  }
  return [...pages.values()];
}
