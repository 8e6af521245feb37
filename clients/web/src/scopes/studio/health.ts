import type { Job, PageOutcome } from "@scops/api";

/** Outcomes by which a page is missing from the index. */
const MISSING = new Set(["blocked", "dead", "gone"]);

/** Pages that are missing for one reason. */
export interface Fault {
  outcome: string;
  reason: string;
  count: number;
  /** One of the pages. */
  example: string;
}

/** Returns why pages of a job are missing, the most frequent reason first. */
export function faultsOf(outcomes: PageOutcome[]): Fault[] {
  const faults = new Map<string, Fault>();
  for (const { outcome = "", reason = "", uri = "" } of outcomes) {
    if (!MISSING.has(outcome)) continue;
    const key = `${outcome} ${reason}`;
    const known = faults.get(key) ?? { outcome, reason, count: 0, example: uri };
    faults.set(key, { ...known, count: known.count + 1 });
  }
  return [...faults.values()].sort((one, other) => other.count - one.count);
}

/** Returns how many seconds a job took; undefined while it runs. */
export function secondsOf(job: Job): number | undefined {
  if (!job.createTime || !job.finishTime) return undefined;
  return (Date.parse(job.finishTime) - Date.parse(job.createTime)) / 1000;
}
