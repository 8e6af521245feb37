import type { PassageExplanation } from "@scops/api";
import { KINDS, PartsBar, signed, useMoves } from "@scops/ui";
import { say } from "../messages/index.ts";
import { axisOf, barsOf, keyOf, type Move, scaleOf, sharesOf } from "./parts.ts";
import { percentOf } from "./reasons.ts";

interface RankTableProps {
  passages: PassageExplanation[];
  moves: Map<string, Move> | undefined;
  chosen: PassageExplanation | undefined;
  onChoose: (key: string) => void;
}

/** Passages by score, with the parts of each drawn on one scale. */
export function RankTable({ passages, moves, chosen, onChoose }: RankTableProps) {
  const shares = passages.map((one) => sharesOf(one.passage?.parts));
  const scale = scaleOf(shares);
  const kinds = KINDS.filter((kind) => shares.some((all) => all.some((one) => one.kind === kind)));
  const isCalibrated = passages.some((one) => one.relevance !== undefined);
  const rows = useMoves<HTMLTableSectionElement>(passages.map((one) => keyOf(one.passage)).join());
  return (
    <section className="pane ranks" aria-labelledby="ranks-title">
      <div className="pane-head">
        <h2 id="ranks-title">{say.explain.ranked(passages.length)}</h2>
        <ul className="legend part-legend">
          {kinds.map((kind) => (
            <li key={kind} data-part={kind}>
              {say.explain.kinds[kind]}
            </li>
          ))}
        </ul>
      </div>
      <table className="rank-table">
        <caption className="hidden">{say.explain.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{say.explain.rank}</th>
            <th scope="col">{say.explain.passage}</th>
            <th scope="col">{say.explain.parts}</th>
            <th scope="col" className="number">
              {isCalibrated ? say.explain.relevant : say.explain.score}
            </th>
          </tr>
        </thead>
        <tbody ref={rows}>
          {passages.map((one, place) => {
            const key = keyOf(one.passage);
            const isChosen = one === chosen;
            return (
              <tr key={key} data-key={key} data-chosen={isChosen || undefined}>
                <td className="rank-cell">
                  <strong>{place + 1}</strong> {moves ? <Moved move={moves.get(key)} /> : null}
                </td>
                <th scope="row">
                  <button
                    type="button"
                    className="row-button"
                    aria-pressed={isChosen}
                    dir="auto"
                    onClick={() => onChoose(key)}
                  >
                    {titleOf(one)}
                  </button>
                </th>
                <td className="parts-cell">
                  <PartsBar bars={barsOf(shares[place] ?? [], scale)} axis={axisOf(scale)} />
                </td>
                <td className="number">
                  {one.relevance === undefined
                    ? signed(one.passage?.score ?? 0, 3, "negative")
                    : percentOf(one.relevance)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Moved({ move }: { move: Move | undefined }) {
  if (move === undefined) return null;
  if (move === "new") return <span className="moved">{say.explain.isNew}</span>;
  if (move === 0) return <span className="moved label">=</span>;
  return (
    <span className="moved" data-move={move > 0 ? "up" : "down"}>
      <span aria-hidden="true">{move > 0 ? "▲" : "▼"}</span> {Math.abs(move)}
      <span className="hidden"> {move > 0 ? say.explain.up : say.explain.down}</span>
    </span>
  );
}

/** Returns what a passage is called: its section, else its page. */
export function titleOf({ passage }: PassageExplanation): string {
  const path = passage?.sectionPath ?? [];
  return (path.length > 0 ? path.join(" › ") : passage?.title) || (passage?.uri ?? "");
}
