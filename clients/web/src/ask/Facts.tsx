import type { Citation, Freshness as FreshnessOf, PageFreshness } from "@scops/api";
import { chance, riskOf, Time } from "@scops/ui";
import { say } from "../messages/index.ts";

interface FactsProps {
  citation: Citation;
  freshness: PageFreshness | undefined;
}

/** How a cited version stands: verified, since when, captured by whom, the risk that it changed. */
export function Facts({ citation, freshness }: FactsProps) {
  const verified = freshness?.verifiedTime ?? citation.clocks?.verifiedTime;
  const observed = freshness?.observedTime ?? citation.clocks?.observedTime;
  const risk = freshness ? riskOf(freshness.risk ?? 0) : undefined;
  return (
    <span className="facts">
      {verified ? (
        <span>
          {say.asking.verified} <Time at={verified} />
        </span>
      ) : null}
      {observed ? (
        <span>
          {say.asking.since} <Time at={observed} />
        </span>
      ) : null}
      {citation.capturedBy ? <span>{say.asking.capturedBy(citation.capturedBy)}</span> : null}
      {risk ? <span className={`risk-${risk}`}>{say.asking.risk[risk]}</span> : null}
      {citation.pageNumber ? <span>{say.further.pageNumber(citation.pageNumber)}</span> : null}
    </span>
  );
}

interface FreshnessProps {
  freshness: FreshnessOf;
  citations: Citation[];
}

/** How fresh an answer is: since when its pages are verified, and how likely they changed. */
export function Freshness({ freshness, citations }: FreshnessProps) {
  const pages = freshness.pages ?? [];
  const times = pages.map((page) => page.verifiedTime ?? "").filter(Boolean);
  const oldest = times.sort().at(0);
  const { isBelow, said } = chance(freshness.risk ?? 0);
  if (citations.some((one) => one.superseded)) {
    return <p className="small quiet">{say.fresh.stood}</p>;
  }
  if (!oldest) return <p />;
  return (
    <p className="small quiet">
      {say.fresh.cited(pages.length)} <Time at={oldest} />{" "}
      {say.fresh.orLater(isBelow ? say.fresh.below(said) : say.fresh.about(said))}
    </p>
  );
}
