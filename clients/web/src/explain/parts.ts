import type { Passage, PassageExplanation, ScorePart } from "@scops/api";
import { KINDS, kindOf, type PartKind } from "@scops/ui";

/** Every passage has the same; bars begin at it. */
const PRIOR = "prior";

export interface Share {
  kind: PartKind;
  value: number;
}

/** How far bars reach to both sides of where they begin. */
export interface Scale {
  below: number;
  above: number;
}

/** A rectangle, in per cent of the width. */
export interface Bar {
  kind: PartKind;
  x: number;
  width: number;
  isNegative: boolean;
}

/** Returns what each kind of part adds to a score; kinds that say nothing are left out. */
export function sharesOf(parts: ScorePart[] | undefined): Share[] {
  const sums = new Map<PartKind, number>();
  for (const part of parts ?? []) {
    if (!part.present || part.name === PRIOR) continue;
    const kind = kindOf(part.name);
    sums.set(kind, (sums.get(kind) ?? 0) + (part.weighted ?? 0));
  }
  return KINDS.filter((kind) => sums.has(kind)).map((kind) => ({
    kind,
    value: sums.get(kind) ?? 0,
  }));
}

/** Returns the scale on which all passages of a ranking can be compared. */
export function scaleOf(all: Share[][]): Scale {
  const reach = (shares: Share[], sign: 1 | -1) =>
    shares.reduce((sum, { value }) => sum + Math.max(sign * value, 0), 0);
  return {
    below: Math.max(0, ...all.map((shares) => reach(shares, -1))),
    above: Math.max(0, ...all.map((shares) => reach(shares, 1))),
  };
}

/** Returns the place in per cent at which bars begin. */
export function axisOf({ below, above }: Scale): number {
  return below + above === 0 ? 0 : (100 * below) / (below + above);
}

/** Lays shares out from the axis: what adds to the right, what takes away to the left. */
export function barsOf(shares: Share[], scale: Scale): Bar[] {
  const unit = 100 / (scale.below + scale.above || 1);
  let right = axisOf(scale);
  let left = right;
  return shares
    .filter(({ value }) => value !== 0)
    .map(({ kind, value }) => {
      const width = Math.abs(value) * unit;
      const isNegative = value < 0;
      if (isNegative) left -= width;
      const x = isNegative ? left : right;
      if (!isNegative) right += width;
      return { kind, x, width, isNegative };
    });
}

/** Names a passage, whatever it ranks by. */
export function keyOf(passage: Passage | undefined): string {
  return `${passage?.page} ${passage?.chunk}`;
}

export type Move = number | "new";

/** Returns how many places each passage rose against another ranking, by its key. */
export function movesBetween(
  before: PassageExplanation[],
  now: PassageExplanation[],
): Map<string, Move> {
  const ranks = new Map(before.map((one, place) => [keyOf(one.passage), place]));
  return new Map(
    now.map((one, place) => {
      const key = keyOf(one.passage);
      const stood = ranks.get(key);
      return [key, stood === undefined ? "new" : stood - place] as const;
    }),
  );
}

/** Returns the rank that a passage would have without a part of the score. */
export function rankWithout(one: PassageExplanation, part: string): number | undefined {
  return one.ranksWithout?.find((entry) => entry.part === part)?.rank;
}

/** Returns whether any passage has something to say by a part. */
export function speaks(all: PassageExplanation[], part: string): boolean {
  return all.some((one) =>
    one.passage?.parts?.some((entry) => entry.name === part && entry.present && entry.raw !== 0),
  );
}
