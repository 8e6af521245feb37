import { idOf, type PagePlan, type PageSchedule } from "@scops/api";
import { chance, exact } from "@scops/ui";
import type { Messages } from "../messages/en/index.ts";

const DIGITS = 3;

/** Returns in sentences when a page is fetched next, and why then. */
export function planText(plan: PagePlan, words: Messages): string {
  const { planned } = words;
  const sentences = [
    ...(plan.schedule ? scheduleText(plan.schedule, words) : []),
    planned.pace(plan.host ?? "", number(plan.hostDelaySeconds, words)),
    ...at(plan.hostNextTime, words).map(planned.notBefore),
    plan.asksForChanges ? planned.asksForChanges : planned.asksForPage,
  ];
  return sentences.join(" ");
}

/** Says when a page is due without being asked for, and why. */
function scheduleText(schedule: PageSchedule, words: Messages): string[] {
  const { planned } = words;
  const said = (value: number | undefined) => number(value, words);
  const { changeRate, changeRateLow, changeRateHigh, signals = [] } = schedule;
  const stale = chance(schedule.staleProbability ?? 0, words.locale);
  return [
    ...at(schedule.checkTime, words).map(planned.checked),
    ...at(schedule.changeTime, words).map(planned.changed),
    planned.rate(said(changeRate), said(changeRateLow), said(changeRateHigh)),
    planned.stale(stale.isBelow ? `< ${stale.said}` : stale.said),
    ...(signals.length > 0
      ? [planned.signalled(signals.map((one) => planned.signals[one] ?? one).join(", "))]
      : []),
    ...dueText(schedule, words),
  ];
}

function dueText(schedule: PageSchedule, words: Messages): string[] {
  const { planned } = words;
  const due = at(schedule.dueTime, words);
  if (due.length === 0) return [planned.noBudget];
  const { value, threshold, importance, budgetScope } = schedule;
  const fetches = number(schedule.budgetPerDay, words);
  return [
    ...due.map(schedule.byFloor ? planned.byFloor : planned.byWorth),
    planned.worth(number(value, words), number(threshold, words), number(importance, words)),
    budgetScope
      ? planned.paidByScope(`@${idOf(budgetScope)}`, fetches)
      : planned.paidByAll(fetches),
  ];
}

/** Says an instant; nothing where there is none. */
function at(instant: string | undefined, { locale }: Messages): string[] {
  return instant ? [exact(new Date(instant), locale)] : [];
}

function number(value: number | undefined, { locale }: Messages): string {
  return (value ?? 0).toLocaleString(locale, { maximumSignificantDigits: DIGITS });
}
