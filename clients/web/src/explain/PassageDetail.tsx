import { idOf, type Passage, type PassageExplanation, type ScorePart } from "@scops/api";
import { kindOf, PartsBar, shortAddress, signed, Time, Why } from "@scops/ui";
import { useState } from "react";
import { Link } from "wouter";
import { say } from "../messages/index.ts";
import { Lineage } from "./Lineage.tsx";
import { axisOf, barsOf, rankWithout, scaleOf } from "./parts.ts";
import { titleOf } from "./RankTable.tsx";

interface PassageOnly {
  explained: PassageExplanation;
}

interface PassageDetailProps extends PassageOnly {
  count: number;
}

/** Why one passage ranks as it does. */
export function PassageDetail({ explained, count }: PassageDetailProps) {
  const passage: Passage = explained.passage ?? {};
  return (
    <section className="pane" aria-labelledby="why-title">
      <div className="pane-head">
        <div>
          <h2 id="why-title" dir="auto">
            {titleOf(explained)}
          </h2>
          <p className="address quiet small">{shortAddress(passage.uri ?? "")}</p>
          {passage.readByOcr ? <p className="quiet small">{say.further.readByOcr}</p> : null}
        </div>
        <span className="small">{say.explain.rankOf(explained.rank ?? 0, count)}</span>
      </div>
      <div className="pane-body stack">
        <Why explained={explained} words={say} />
        <details>
          <summary className="small">{say.explain.parts}</summary>
          <Parts explained={explained} />
        </details>
      </div>
      <div className="pane-body stack">
        <h3>{say.explain.scopeAndRule}</h3>
        <dl className="pairs">
          {(passage.scopes ?? []).map((match) => (
            <div className="pair" key={match.scope}>
              <dt className="scope-name">@{idOf(match.scope)}</dt>
              <dd>
                {say.explain.by}{" "}
                <span className="address">
                  {say.rules[match.rule?.kind ?? ""]} {match.rule?.pattern}
                </span>
              </dd>
            </div>
          ))}
        </dl>
        {passage.graphPath?.length ? <GraphPath names={passage.graphPath} /> : null}
      </div>
      <div className="pane-body stack">
        <h3>{say.explain.lineage}</h3>
        <Lineage entries={explained.lineage ?? []} />
        <p className="small">
          <Link href={`/${passage.page}`}>{say.asking.history}</Link>
        </p>
      </div>
      <Trust explained={explained} />
    </section>
  );
}

function Parts({ explained }: PassageOnly) {
  const [withNumbers, setNumbers] = useState(false);
  const parts = (explained.passage?.parts ?? []).filter((part) => part.present);
  const shares = parts.map((part) => ({ kind: kindOf(part.name), value: part.weighted ?? 0 }));
  const scale = scaleOf(shares.map((share) => [share]));
  return (
    <div className="stack-small">
      <div className="split">
        <p className="small quiet">{say.explain.partsMeaning}</p>
        <button
          type="button"
          className="button"
          data-size="small"
          aria-pressed={withNumbers}
          onClick={() => setNumbers(!withNumbers)}
        >
          {say.explain.numbers}
        </button>
      </div>
      <ul className="parts">
        {parts.map((part, place) => (
          <li className="part" key={part.name}>
            <span>
              <strong>{say.told.partNames[part.name ?? ""] ?? part.name}</strong>{" "}
              <span className="label">{say.explain.partHints[part.name ?? ""]}</span>
            </span>
            <span className="part-without">
              {without(rankWithout(explained, part.name ?? ""), explained.rank ?? 0)}
            </span>
            {withNumbers ? <span className="part-sum">{sum(part)}</span> : null}
            <PartsBar bars={barsOf(shares.slice(place, place + 1), scale)} axis={axisOf(scale)} />
          </li>
        ))}
        {withNumbers ? (
          <li className="part">
            <strong>{say.explain.score}</strong>
            <strong className="part-sum">
              {signed(explained.passage?.score ?? 0, 3, "negative")}
            </strong>
          </li>
        ) : null}
      </ul>
    </div>
  );
}

function sum(part: ScorePart): string {
  const measured = signed(part.raw ?? 0, 3, "negative");
  const weight = signed(part.weight ?? 0, 3, "negative");
  return `${measured} × ${weight} = ${signed(part.weighted ?? 0, 3, "always")}`;
}

function without(rank: number | undefined, now: number): string {
  if (rank === undefined) return "";
  return rank === now ? say.explain.sameWithout : say.explain.without(rank);
}

/** What leads from the question to the passage. */
function GraphPath({ names }: { names: string[] }) {
  return (
    <div className="stack-small">
      <h3>{say.explain.path}</h3>
      <ol className="path">
        {names.map((name, place) => (
          <li key={name}>
            <span className="path-node address" dir="auto">
              {name}
            </span>
            <span className="label">{place === 0 ? say.explain.named : say.explain.met}</span>
          </li>
        ))}
        <li>
          <span className="path-node" data-here>
            {say.explain.here}
          </span>
        </li>
      </ol>
    </div>
  );
}

function Trust({ explained }: { explained: PassageExplanation }) {
  const extraction = explained.extraction;
  if (!extraction) return <p className="pane-body small quiet">{say.explain.notKept}</p>;
  return (
    <details className="pane-body">
      <summary className="small quiet">{say.explain.trust}</summary>
      <dl className="pairs">
        <dt>{say.explain.extractor}</dt>
        <dd>{[extraction.extractor, ...(extraction.flags ?? [])].join(", ")}</dd>
        {(extraction.stated ?? []).map((date) => (
          <div className="pair" key={`${date.kind}${date.source}`}>
            <dt>{say.explain.stated[date.kind ?? ""]}</dt>
            <dd>
              <Time at={date.time ?? ""} /> {say.explain.statedIn(date.source ?? "")}
              {", "}
              {say.explain.confidence} {signed(date.confidence ?? 0, 2, "negative")}
            </dd>
          </div>
        ))}
        <dt>{say.explain.chunk}</dt>
        <dd className="address">{explained.passage?.chunk}</dd>
      </dl>
    </details>
  );
}
