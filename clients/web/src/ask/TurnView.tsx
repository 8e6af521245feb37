import { type Answer, type Citation, idOf, type Passage } from "@scops/api";
import {
  byPage,
  Cite,
  dayOf,
  freshnessOf,
  InlineDiff,
  Notice,
  Said,
  shortAddress,
  stateOf,
  Time,
} from "@scops/ui";
import { memo, useState } from "react";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { LookFurther } from "../research/LookFurther.tsx";
import type { Opened } from "./AskPlace.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { quotable } from "./citations.ts";
import type { Asked, AskedTurn } from "./conversation.ts";
import { ExplainLink } from "./ExplainLink.tsx";
import { Facts, Freshness } from "./Facts.tsx";
import { NotAnswered } from "./NotAnswered.tsx";
import { QuoteCard } from "./QuoteCard.tsx";
import { useLingering } from "./useLingering.ts";

const CARD = "quote-card";
const SOURCES_SHOWN = 5;

export interface TurnViewProps {
  turn: AskedTurn;
  /** What the link has by which the chat is read; empty for a chat of one's own. */
  share: string;
  /** Number of the citation whose evidence is open, of this turn. */
  opened: number | undefined;
  onOpen: (opened: Opened) => void;
  onAgain: (turn: AskedTurn) => void;
  /** Asks the question of other scopes; nothing where the chat is another's. */
  onWiden: ((asked: Asked) => Promise<unknown>) | undefined;
  onCheck: (turns: AskedTurn[]) => Promise<void>;
}

/** A question and its answer; of a long chat only the turn that changes is drawn again. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, share, onAgain, onWiden } = props;
  const { answer, problem } = turn;
  return (
    <article className="turn" aria-labelledby={turn.id}>
      <h2 id={turn.id} dir="auto">
        {turn.query}
      </h2>
      <p className="asked">
        {say.asking.asked} <Time at={turn.askedAt} /> {say.asking.inScopes}{" "}
        {turn.scopes.map((scope) => (
          <span className="scope-name" key={scope}>
            {scope === "*" ? say.asking.all : `@${idOf(scope)}`}{" "}
          </span>
        ))}
        {turn.asOf ? say.asking.stood(dayOf(turn.asOf)) : null}
      </p>
      {problem ? (
        <ProblemNotice
          problem={problem}
          action={
            <button type="button" className="button" onClick={() => onAgain(turn)}>
              {say.again}
            </button>
          }
        />
      ) : null}
      {!answer && !problem ? <UnderWay turn={turn} /> : null}
      {turn.withheld ? <Notice>{say.chats.withheld(turn.withheld)}</Notice> : null}
      {answer?.answered ? <Answered {...props} answer={answer} /> : null}
      {answer && !answer.answered ? (
        <NotAnswered turn={turn} answer={answer} share={share} onWiden={onWiden} />
      ) : null}
    </article>
  );
});

/** What was found, as soon as it is, and each statement as it comes. */
function UnderWay({ turn }: { turn: AskedTurn }) {
  const titles = [...new Set((turn.sources ?? []).map(titleOf))].slice(0, SOURCES_SHOWN);
  return (
    <div className="stack-small">
      {titles.length > 0 ? (
        <p className="small quiet">
          {say.chats.lookingIn} <span dir="auto">{titles.join(" · ")}</span>
        </p>
      ) : null}
      <div className="statements said said-large">
        {(turn.said ?? []).map((statement) => (
          <p key={`${statement.citationNumbers}${statement.text}`} dir="auto">
            <Said {...statement} />
          </p>
        ))}
      </div>
      <p className="progress-line">
        <span className="pulse" aria-hidden="true" />
        {say.asking.searching}
      </p>
    </div>
  );
}

function titleOf(passage: Passage): string {
  return passage.title || shortAddress(passage.uri ?? "");
}

function Answered(props: TurnViewProps & { answer: Answer }) {
  const { turn, share, answer, opened, onOpen, onCheck, onWiden } = props;
  const [shown, show, hold] = useLingering<{ citation: Citation; marker: HTMLElement }>();
  const [isBusy, setBusy] = useState(false);
  const citations = answer.citations ?? [];
  const resolved = turn.resolved ?? {};
  const state = (one: Citation) =>
    stateOf(one, freshnessOf(answer, one), resolved[one.number ?? 0]);
  const fallen = citations.filter((one) => state(one) === "superseded").length;
  const marker = (citation: Citation) => {
    const number = citation.number ?? 0;
    return (
      <Cite
        key={number}
        number={number}
        state={state(citation)}
        label={say.asking.cite(number, citation.title ?? "", state(citation))}
        isOpen={opened === number}
        describedBy={shown?.citation === citation ? CARD : undefined}
        onOpen={() => onOpen({ turn: turn.id, number })}
        onShow={(element) => show(element ? { citation, marker: element } : undefined)}
      />
    );
  };
  const uncited = (answer.passages ?? []).filter(
    (passage) => !citations.some((one) => one.page === passage.page),
  );
  return (
    <>
      {fallen > 0 ? <Notice kind="superseded">{say.asking.supersededMany(fallen)}</Notice> : null}
      <div className="statements said said-large">
        {(answer.statements ?? []).map((statement) => {
          const cited = citations.filter((one) =>
            (statement.citationNumbers ?? []).includes(one.number ?? 0),
          );
          return (
            <div key={`${statement.citationNumbers}${statement.text}`} className="stack-small">
              <p dir="auto">
                <Said {...statement} /> {cited.map(marker)}
              </p>
              {cited.flatMap((one) =>
                (resolved[one.number ?? 0]?.diff ?? []).map((hunk) => (
                  <div className="diff-short" key={`${one.number}${hunk.sectionPath}`}>
                    <p className="label">{say.asking.saysNow}</p>
                    <p className="said-medium" dir="auto">
                      <InlineDiff parts={hunk.parts ?? []} />
                    </p>
                  </div>
                )),
              )}
            </div>
          );
        })}
      </div>
      <ul className="cited-pages" aria-label={say.asking.citedPages}>
        {byPage(citations).map((group) => (
          <li key={`${group[0]?.page}${group[0]?.version}`}>
            <div className="split">
              <span className="cited-title" dir="auto">
                {group[0]?.title}
              </span>
              <span>{group.map(marker)}</span>
            </div>
            <span className="address quiet small">{shortAddress(group[0]?.uri ?? "")}</span>
            {group[0] ? (
              <Facts citation={group[0]} freshness={freshnessOf(answer, group[0])} />
            ) : null}
          </li>
        ))}
      </ul>
      {uncited.length > 0 ? (
        <details>
          <summary className="small quiet">{say.asking.uncited(uncited.length)}</summary>
          <ol className="small quiet">
            {uncited.map((passage) => (
              <li key={passage.chunk}>{(passage.sectionPath ?? [passage.title]).join(" › ")}</li>
            ))}
          </ol>
        </details>
      ) : null}
      <div className="split">
        {answer.freshness ? (
          <Freshness freshness={answer.freshness} citations={citations} />
        ) : (
          <p />
        )}
        <div className="actions">
          <button
            type="button"
            className="button"
            data-kind="quiet"
            data-size="small"
            aria-busy={isBusy}
            onClick={async () => {
              setBusy(true);
              await onCheck([turn]);
              setBusy(false);
            }}
          >
            {say.asking.check}
          </button>
          <CopyButton text={quotable(answer)} />
          <ExplainLink turn={turn} share={share} />
        </div>
      </div>
      {onWiden ? (
        <details>
          <summary className="small quiet">{say.further.title}</summary>
          <LookFurther turn={turn} />
        </details>
      ) : null}
      {shown ? (
        <QuoteCard
          key={shown.citation.number}
          id={CARD}
          turn={turn}
          citation={shown.citation}
          freshness={freshnessOf(answer, shown.citation)}
          resolved={resolved[shown.citation.number ?? 0]}
          marker={shown.marker}
          onHold={hold}
          onCheck={() => onCheck([turn])}
        />
      ) : null}
    </>
  );
}
