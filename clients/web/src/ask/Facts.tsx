import type { Citation, Freshness as FreshnessOf, PageFreshness } from "@scops/api";
import { chance, riskOf, Time } from "@scops/ui";
import { say } from "../messages/index.ts";
import { useVersionNumber } from "./useVersionNumber.ts";

interface FactsProps {
  citation: Citation;
  freshness: PageFreshness | undefined;
  /** Which version of its page it is, from 1; left out where that is not known. */
  number?: number | undefined;
}

/** How a cited version stands: verified, since when, captured by whom, the risk that it changed. */
export function Facts({ citation, freshness, number }: FactsProps) {
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
          {number ? say.asking.versionSince(number) : say.asking.since} <Time at={observed} />
        </span>
      ) : null}
      {citation.capturedBy ? <span>{say.asking.capturedBy(citation.capturedBy)}</span> : null}
      {risk ? <span className={`risk-${risk}`}>{say.asking.risk[risk]}</span> : null}
      {citation.pageNumber ? <span>{say.further.pageNumber(citation.pageNumber)}</span> : null}
      {citation.readByOcr ? <span>{say.further.readByOcr}</span> : null}
    </span>
  );
}

/** The same with the number of the version, which is looked up. */
export function NumberedFacts(props: Omit<FactsProps, "number">) {
  const { page = "", version = "" } = props.citation;
  return <Facts {...props} number={useVersionNumber(page, version)} />;
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
