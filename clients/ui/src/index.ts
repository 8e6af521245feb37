export { Cite, type CiteState } from "./Cite.tsx";
export { Confirm } from "./Confirm.tsx";
export { byPage, freshnessOf, stateOf } from "./citations.ts";
export { type Counting, counting } from "./counting.ts";
export { DiffSide, InlineDiff, joined } from "./Diff.tsx";
export {
  chance,
  count,
  dayOf,
  duration,
  exact,
  relative,
  riskOf,
  shortAddress,
  shownLocale,
  signed,
} from "./format.ts";
export { Mark } from "./Mark.tsx";
export { Notice } from "./Notice.tsx";
export { OutcomeBar, type OutcomeCount } from "./OutcomeBar.tsx";
export { type PartBar, PartsBar } from "./PartsBar.tsx";
export { Said } from "./Said.tsx";
export { cut } from "./spans.ts";
export { Time } from "./Time.tsx";
export { useMoves } from "./useMoves.ts";
