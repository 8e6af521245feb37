import { type Citation, idOf, type PageText, type Problem, read } from "@scops/api";
import { cut, freshnessOf, isWeb, Notice, shortAddress, stateOf } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useSession } from "../session/session.tsx";
import type { Opened } from "./AskPlace.tsx";
import { CheckPage } from "./CheckPage.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { neighbour, quoted } from "./citations.ts";
import type { AskedTurn } from "./conversation.ts";
import { NumberedFacts } from "./Facts.tsx";
import { PdfPage } from "./PdfPage.tsx";

/** Text before and after the quote that is read with it, in code points. */
const AROUND = 10_000;

interface EvidenceProps {
  turn: AskedTurn;
  number: number;
  onOpen: (opened: Opened | undefined) => void;
  /** Looks up what became of the quotes. */
  onCheck: () => Promise<void>;
}

/** The cited version of a page with the quote marked in it. */
export function Evidence({ turn, number, onOpen, onCheck }: EvidenceProps) {
  const answer = turn.answer ?? {};
  const citation = answer.citations?.find((one) => one.number === number);
  if (!citation) return null;
  const freshness = freshnessOf(answer, citation);
  const state = stateOf(citation, freshness, turn.resolved?.[number]);
  const move = (step: 1 | -1) => onOpen({ turn: turn.id, number: neighbour(answer, number, step) });
  return (
    <aside className="evidence" aria-label={say.asking.evidence}>
      <div className="evidence-head">
        <div className="split">
          <h2 dir="auto">{citation.title}</h2>
          <button
            type="button"
            className="icon-button"
            aria-label={say.close}
            onClick={() => onOpen(undefined)}
          >
            <X className="icon" aria-hidden="true" />
          </button>
        </div>
        <span className="address quiet small">{shortAddress(citation.uri ?? "")}</span>
        <NumberedFacts citation={citation} freshness={freshness} />
        {state === "superseded" || state === "gone" ? (
          <span className="state" data-state={state}>
            {say.asking[state]}
          </span>
        ) : null}
        <CheckPage key={citation.page} turn={turn} citation={citation} onCheck={onCheck} />
      </div>
      {citation.pageNumber ? <PdfPage citation={citation} /> : null}
      <VersionText citation={citation} isSuperseded={state === "superseded"} />
      <div className="evidence-foot">
        <div className="actions">
          <button
            type="button"
            className="icon-button"
            aria-label={say.asking.previousCitation}
            aria-keyshortcuts="k"
            onClick={() => move(-1)}
          >
            <ChevronUp className="icon" aria-hidden="true" />
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={say.asking.nextCitation}
            aria-keyshortcuts="j"
            onClick={() => move(1)}
          >
            <ChevronDown className="icon" aria-hidden="true" />
          </button>
          <span className="small quiet">
            {number} / {answer.citations?.length}
          </span>
        </div>
        <div className="actions">
          <CopyButton text={quoted(citation)} />
          <Link className="button" data-size="small" href={`/${citation.page}`}>
            {say.asking.history}
          </Link>
          {isWeb(citation.uri ?? "") ? (
            <a
              className="button"
              data-size="small"
              href={citation.fragmentUri}
              target="_blank"
              rel="noreferrer"
            >
              {say.asking.openPage}
            </a>
          ) : null}
        </div>
      </div>
    </aside>
  );
}

function VersionText({ citation, isSuperseded }: { citation: Citation; isSuperseded: boolean }) {
  const { api } = useSession();
  const { page = "", version = "", start = 0, end = 0 } = citation;
  const quote = useRef<HTMLElement>(null);
  const first = Math.max(0, start - AROUND);
  const text = useQuery<PageText, Problem>({
    queryKey: ["text", page, version, first],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => {
      const query = { version, start: first, characterLimit: end - first + AROUND };
      const params = { path: { page: idOf(page) }, query };
      return read(api.GET("/v1/pages/{page}:read", { params, signal }));
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another quote is scrolled to as well.
  useEffect(() => {
    quote.current?.scrollIntoView({ block: "center" });
  }, [text.data, start]);
  if (text.error) return <ProblemNotice problem={text.error} />;
  if (!text.data) return <p className="evidence-text">{say.loading}</p>;
  const begins = text.data.start ?? 0;
  const found = cut(text.data.text ?? "", start - begins, end - begins);
  const isExact = found?.quote === citation.quote;
  return (
    <section
      className="evidence-text said said-medium"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
      tabIndex={0}
      aria-label={say.asking.text}
      dir="auto"
    >
      {found && isExact ? (
        <>
          {found.before}
          <mark ref={quote} data-superseded={isSuperseded || undefined}>
            {found.quote}
          </mark>
          {found.after}
        </>
      ) : (
        <Notice kind="critical">{say.asking.notThere}</Notice>
      )}
    </section>
  );
}
