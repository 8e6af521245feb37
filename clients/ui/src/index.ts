export { Cite, type CiteState } from "./Cite.tsx";
export { DiffSide, InlineDiff } from "./Diff.tsx";
export { count, duration, exact, relative, riskOf, shortAddress } from "./format.ts";
export { Mark } from "./Mark.tsx";
export { Notice } from "./Notice.tsx";
export { OutcomeBar, type OutcomeCount } from "./OutcomeBar.tsx";
export { cut } from "./spans.ts";
export { Time } from "./Time.tsx";
