import type { Citation, PageFreshness } from "@scops/api";
import { shortAddress } from "@scops/ui";
import { useLayoutEffect, useRef } from "react";
import { Facts } from "./Facts.tsx";

const GAP = 8;
const EDGE = 16;

interface QuoteCardProps {
  id: string;
  citation: Citation;
  freshness: PageFreshness | undefined;
  marker: HTMLElement;
}

/** The quote in what surrounds it, beside its marker; everything came with the answer. */
export function QuoteCard({ id, citation, freshness, marker }: QuoteCardProps) {
  const card = useRef<HTMLDivElement>(null);
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
    <div className="card floating" id={id} ref={card} role="tooltip">
      <div>
        <span className="card-title" dir="auto">
          {(citation.sectionPath?.length ? citation.sectionPath : [citation.title]).join(" › ")}
        </span>
        <br />
        <span className="address quiet small">{shortAddress(citation.uri ?? "")}</span>
      </div>
      <blockquote className="said said-medium" dir="auto">
        <span className="quiet">{citation.prefix}</span>
        <mark>{citation.quote}</mark>
        <span className="quiet">{citation.suffix}</span>
      </blockquote>
      <Facts citation={citation} freshness={freshness} />
    </div>
  );
}
