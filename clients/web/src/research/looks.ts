import type { Research, ResearchPage, ResearchStep } from "@scops/api";

/** Pages that were chosen together, and the look at the question once they were there. */
export interface Looked {
  number: number;
  pages: ResearchPage[];
  /** Nothing while its pages are fetched. */
  look: ResearchStep | undefined;
}

/** Returns what a run has looked at, in the order in which it came. */
export function looksOf(run: Research): Looked[] {
  const pages = run.pages ?? [];
  const steps = run.steps ?? [];
  const last = Math.max(steps.length, ...pages.map((page) => (page.step ?? 0) + 1));
  return Array.from({ length: last }, (_, place) => ({
    number: place + 1,
    pages: pages.filter((page) => (page.step ?? 0) === place),
    look: steps[place],
  }));
}

export function hasEnded(run: Research | undefined): boolean {
  return run !== undefined && run.state !== "STATE_RUNNING";
}

/** Returns how far what was found suffices, in [0, 1]. */
export function coverageOf(run: Research): number {
  return run.steps?.at(-1)?.coverage ?? 0;
}

/** Returns how many pages were fetched, or asked for in vain. */
export function fetchedOf(run: Research): number {
  return (run.pages ?? []).filter((page) => page.outcome && page.outcome !== "known").length;
}
