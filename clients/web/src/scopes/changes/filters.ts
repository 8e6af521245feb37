import type { PageChange } from "@scops/api";

/** Returns the reasons of changes with how many have each, the commonest first. */
export function reasonsOf(changes: PageChange[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const change of changes) {
    const own = [
      ...(change.changeReasons ?? []),
      ...(change.edits ?? []).flatMap((edit) => edit.reasons ?? []),
    ];
    for (const reason of new Set(own)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].sort(
    ([one, ones], [other, others]) => others - ones || one.localeCompare(other),
  );
}

/** Returns changes with the edits that weigh enough; a page that is new or gone has no edits. */
export function heavyEnough(changes: PageChange[], least: number): PageChange[] {
  return changes.flatMap((change) => {
    const edits = change.edits ?? [];
    if (edits.length === 0) return (change.salience ?? 0) >= least || isWhole(change) ? change : [];
    const kept = edits.filter((edit) => (edit.salience ?? 0) >= least);
    return kept.length > 0 ? { ...change, edits: kept } : [];
  });
}

function isWhole(change: PageChange): boolean {
  return change.news !== "changed";
}
