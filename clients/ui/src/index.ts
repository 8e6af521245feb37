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
  isWeb,
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
export { KINDS, kindOf, type PartKind } from "./parts.ts";
export { Said } from "./Said.tsx";
export { cut } from "./spans.ts";
export { Time } from "./Time.tsx";
export { ProblemNotice, Sentence } from "./told/ProblemNotice.tsx";
export {
  inEnglish,
  isEnglish,
  kindText,
  problemTold,
  remarksOf,
  ruleErrorTold,
  type Told,
} from "./told/told.ts";
export { Why } from "./told/Why.tsx";
export type { Words } from "./told/words.ts";
export { useMoves } from "./useMoves.ts";
