import type { Answer, Citation } from "@scops/api";
import {
  byPage,
  Cite,
  freshnessOf,
  Notice,
  remarksOf,
  riskOf,
  Said,
  Sentence,
  shortAddress,
  stateOf,
  Time,
} from "@scops/ui";
import { type ReactNode, useState } from "react";
import { say } from "../messages/index.ts";
import { usePanel } from "../server/panel.tsx";
import { isOf, markQuotes, showQuote } from "./quotes.ts";
import { isWhole, type Reply } from "./reply.ts";

interface AnswerViewProps {
  reply: Reply;
  answer: Answer;
  onExplain: () => void;
  /** Asks the question of every scope; nothing where it was. */
  onWiden: (() => void) | undefined;
}

/** An answer with its citations; pressing one shows the quote where it stands. */
export function AnswerView({ reply, answer, onExplain, onWiden }: AnswerViewProps) {
  const { tab } = usePanel();
  const [told, setTold] = useState("");
  const [opened, setOpened] = useState<number>();
  const citations = answer.citations ?? [];
  const open = async (citation: Citation) => {
    if (!tab) return;
    setOpened(citation.number);
    setTold(say.asking[await showQuote(tab, citation)]);
  };
  const marker = (citation: Citation) => {
    const number = citation.number ?? 0;
    const state = stateOf(citation, freshnessOf(answer, citation), undefined);
    return (
      <Cite
        key={number}
        number={number}
        state={state}
        label={say.asking.cite(number, citation.title ?? "", state)}
        isOpen={opened === number}
        onOpen={() => void open(citation)}
        onShow={() => undefined}
      />
    );
  };
  const own = citations.filter((citation) => isOf(tab, citation));
  return (
    <>
      <Progress reply={reply} answer={answer} />
      {answer.answered ? (
        <div className="statements said said-medium">
          {(answer.statements ?? []).map((statement) => (
            <p dir="auto" key={`${statement.citationNumbers}${statement.text}`}>
              <Said {...statement} />{" "}
              {citations
                .filter((one) => (statement.citationNumbers ?? []).includes(one.number ?? 0))
                .map(marker)}
            </p>
          ))}
        </div>
      ) : null}
      {isWhole(reply) && !answer.answered ? (
        <NotAnswered answer={answer} onWiden={onWiden} />
      ) : null}
      {citations.length > 0 ? (
        <ul className="cited-pages" aria-label={say.asking.cited}>
          {byPage(citations).map((group) => (
            <CitedPage
              key={`${group[0]?.page}${group[0]?.version}`}
              answer={answer}
              group={group}
              markers={group.map(marker)}
            />
          ))}
        </ul>
      ) : null}
      {own.length > 0 && tab ? (
        <Notice
          action={
            <button
              type="button"
              className="button"
              data-size="small"
              onClick={async () => setTold(say.seen.shown(await markQuotes(tab, own), own.length))}
            >
              {say.asking.markAll}
            </button>
          }
        >
          {say.asking.onPage}
        </Notice>
      ) : null}
      <p className="small" role="status">
        {told}
      </p>
      {isWhole(reply) && (answer.passages ?? []).length > 0 ? (
        <p>
          <button type="button" className="button" data-size="small" onClick={onExplain}>
            {say.asking.explain}
          </button>
        </p>
      ) : null}
    </>
  );
}

/** Tells how far an answer is: aloud at its end alone. */
function Progress({ reply, answer }: { reply: Reply; answer: Answer }) {
  const passages = answer.passages?.length ?? 0;
  const isBusy = !reply.isDone && !isWhole(reply);
  return (
    <>
      {isBusy ? (
        <p className="progress-line">
          <span className="pulse" aria-hidden="true" />
          {passages > 0 ? say.asking.sources(passages) : say.asking.searching}
        </p>
      ) : null}
      <p className="hidden" role="status">
        {isWhole(reply) && answer.answered ? say.asking.done(answer.citations?.length ?? 0) : ""}
      </p>
    </>
  );
}

interface CitedPageProps {
  answer: Answer;
  group: Citation[];
  markers: ReactNode;
}

function CitedPage({ answer, group, markers }: CitedPageProps) {
  const [first] = group;
  if (!first) return null;
  const freshness = freshnessOf(answer, first);
  const verified = freshness?.verifiedTime ?? first.clocks?.verifiedTime;
  const risk = freshness ? riskOf(freshness.risk ?? 0) : undefined;
  return (
    <li>
      <div className="split">
        <span className="cited-title" dir="auto">
          {first.title}
        </span>
        <span>{markers}</span>
      </div>
      <span className="address quiet small">{shortAddress(first.uri ?? "")}</span>
      <span className="facts">
        {verified ? (
          <span>
            {say.asking.verified} <Time at={verified} />
          </span>
        ) : null}
        {risk ? <span className={`risk-${risk}`}>{say.asking.risk[risk]}</span> : null}
      </span>
    </li>
  );
}

function NotAnswered({ answer, onWiden }: { answer: Answer; onWiden: (() => void) | undefined }) {
  const gaps = answer.gaps ?? [];
  return (
    <div className="stack-small">
      <p>
        <strong>{say.asking.notAnswered}.</strong> {say.asking.notAnsweredWhy}
      </p>
      {gaps.length === 0 ? (
        <p className="small quiet">
          <Sentence told={remarksOf(answer.shortfall ?? [], answer.shortfallReason ?? "", say)} />
        </p>
      ) : null}
      <ul className="stack-small small">
        {gaps.map((gap) => (
          <li key={gap.chunk} dir="auto">
            {(gap.sectionPath?.length ? gap.sectionPath : [gap.title]).join(" › ")}
            {gap.missingWords?.length ? (
              <span className="quiet">
                {" "}
                · {say.asking.lacks} {gap.missingWords.join(", ")}
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      {onWiden ? (
        <p>
          <button type="button" className="button" data-size="small" onClick={onWiden}>
            {say.asking.widen}
          </button>
        </p>
      ) : null}
    </div>
  );
}
