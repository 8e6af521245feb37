import { kindOf, type PartBar, PartsBar, signed } from "@scops/ui";
import { say } from "../messages/index.ts";

const DIGITS = 3;

export interface ScorePartRow {
  name: string;
  /** What it adds to the score; nothing where it has nothing to say. */
  weighted: number | undefined;
  /** The rank without it. */
  rankWithout: number | undefined;
}

/** The parts of a score in one column, each with its bar. */
export function ScoreParts({ rows, score }: { rows: ScorePartRow[]; score: number }) {
  const sizes = rows.map((row) => row.weighted ?? 0);
  const low = Math.min(0, ...sizes);
  const span = Math.max(0, ...sizes) - low || 1;
  const axis = (100 * -low) / span;
  const bar = (kind: string, size: number): PartBar => ({
    kind,
    x: size < 0 ? axis + (100 * size) / span : axis,
    width: (100 * Math.abs(size)) / span,
    isNegative: size < 0,
  });
  return (
    <ul className="score-parts" aria-label={say.explain.parts}>
      {rows.map(({ name, weighted, rankWithout }) => (
        <li key={name}>
          <strong>{say.told.partNames[name] ?? name}</strong>
          <span className="quiet">
            {weighted === undefined ? say.explain.silent : signed(weighted, DIGITS, "always")}
            {rankWithout ? ` · ${say.explain.without(rankWithout)}` : null}
          </span>
          <PartsBar bars={weighted ? [bar(kindOf(name), weighted)] : []} axis={axis} />
        </li>
      ))}
      <li>
        <strong>{say.explain.score}</strong>
        <strong>{signed(score, DIGITS, "negative")}</strong>
      </li>
    </ul>
  );
}
