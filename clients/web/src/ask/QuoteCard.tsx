import type { Citation, PageFreshness, ResolvedCitation } from "@scops/api";
import { InlineDiff, shortAddress, stateOf } from "@scops/ui";
import { useLayoutEffect, useRef } from "react";
import { say } from "../messages/index.ts";
import { CheckPage } from "./CheckPage.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { quoted } from "./citations.ts";
import type { AskedTurn } from "./conversation.ts";
import { NumberedFacts } from "./Facts.tsx";

const GAP = 8;
const EDGE = 16;

interface QuoteCardProps {
  id: string;
  turn: AskedTurn;
  citation: Citation;
  freshness: PageFreshness | undefined;
  resolved: ResolvedCitation | undefined;
  marker: HTMLElement;
  /** The pointer came onto the card, or left it. */
  onHold: (isHeld: boolean) => void;
  /** Looks up what became of the quotes. */
  onCheck: () => Promise<void>;
}

/** The quote in what surrounds it, beside its marker, and what became of it. */
export function QuoteCard(props: QuoteCardProps) {
  const { id, turn, citation, freshness, resolved, marker, onHold, onCheck } = props;
  const card = useRef<HTMLElement>(null);
  const state = stateOf(citation, freshness, resolved);
  useLayoutEffect(() => {
    const element = card.current;
    if (!element) return;
    const at = marker.getBoundingClientRect();
    const { width, height } = element.getBoundingClientRect();
    const left = Math.min(Math.max(EDGE, at.left), innerWidth - width - EDGE);
    const isBelow = at.bottom + GAP + height < innerHeight;
    const top = isBelow ? at.bottom + GAP : Math.max(EDGE, at.top - GAP - height);
    element.style.setProperty("--card-x", `${left}px`);
    element.style.setProperty("--card-y", `${top}px`);
  }, [marker]);
  return (
    <section
      className="card floating"
      id={id}
      ref={card}
      aria-label={say.asking.quote}
      onMouseEnter={() => onHold(true)}
      onMouseLeave={() => onHold(false)}
    >
      <div>
        <span className="card-title" dir="auto">
          {(citation.sectionPath?.length ? citation.sectionPath : [citation.title]).join(" › ")}
        </span>
        <br />
        <span className="address quiet small">{shortAddress(citation.uri ?? "")}</span>
      </div>
      <blockquote className="said said-medium" dir="auto">
        <span className="quiet">{citation.prefix}</span>
        <mark data-superseded={state === "superseded" || undefined}>{citation.quote}</mark>
        <span className="quiet">{citation.suffix}</span>
      </blockquote>
      <NumberedFacts citation={citation} freshness={freshness} />
      {state === "superseded" || state === "gone" ? (
        <span className="state" data-state={state}>
          {say.asking[state]}
        </span>
      ) : null}
      {(resolved?.diff ?? []).map((hunk) => (
        <p className="said-medium" dir="auto" key={`${hunk.sectionPath}`}>
          <InlineDiff parts={hunk.parts ?? []} />
        </p>
      ))}
      <div className="actions">
        <CopyButton text={quoted(citation)} />
        <CheckPage turn={turn} citation={citation} onCheck={onCheck} />
      </div>
    </section>
  );
}
