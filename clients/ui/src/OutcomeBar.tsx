import { count, shownLocale } from "./format.ts";

export interface OutcomeCount {
  outcome: string;
  label: string;
  count: number;
}

/** Pages of a job by outcome: a bar, and the counts in words. */
export function OutcomeBar({ counts, summary }: { counts: OutcomeCount[]; summary: string }) {
  const total = counts.reduce((sum, one) => sum + one.count, 0) || 1;
  let at = 0;
  const bars = counts.map((one) => {
    const from = at;
    at += one.count;
    return (
      <rect
        key={one.outcome}
        data-outcome={one.outcome}
        x={`${(100 * from) / total}%`}
        width={`${(100 * one.count) / total}%`}
        height="12"
      />
    );
  });
  return (
    <div>
      <svg className="outcomes" role="img" aria-label={summary}>
        {bars}
      </svg>
      <dl className="legend">
        {counts.map((one) => (
          <div key={one.outcome}>
            <dt data-outcome={one.outcome}>{one.label}</dt>
            <dd>{count(one.count, shownLocale())}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
