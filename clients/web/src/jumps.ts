import type { DiffHunk } from "@scops/api";
import { joined } from "@scops/ui";

/** A place that one jumps to. */
export interface Jump {
  /** What it is called, kind and weight among it. */
  name: string;
  /** The class of its change, or its news. */
  kind: string;
  /** From 0 to 1. */
  weight: number;
}

/** Returns where a key leads from a place on the strip; undefined where it leads nowhere. */
export function placeByKey(key: string, at: number, length: number): number | undefined {
  const last = length - 1;
  if (key === "ArrowDown" || key === "ArrowRight") return Math.min(last, at + 1);
  if (key === "ArrowUp" || key === "ArrowLeft") return Math.max(0, at - 1);
  if (key === "Home") return 0;
  return key === "End" ? last : undefined;
}

/** Returns how much each hunk changes, in characters, as a share of the one that changes most. */
export function weightsOf(hunks: DiffHunk[]): number[] {
  const changed = hunks.map((hunk) =>
    joined(hunk.parts ?? [])
      .filter((part) => part.kind !== "KIND_EQUAL")
      .reduce((sum, part) => sum + (part.text?.length ?? 0), 0),
  );
  const most = Math.max(1, ...changed);
  return changed.map((one) => one / most);
}
