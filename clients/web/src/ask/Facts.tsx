import type { Citation, PageFreshness } from "@scops/api";
import { riskOf, Time } from "@scops/ui";
import { say } from "../messages/index.ts";

interface FactsProps {
  citation: Citation;
  freshness: PageFreshness | undefined;
}

/** How fresh a cited version is: verified, since when it stands, and the risk that it changed. */
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
      {risk ? <span className={`risk-${risk}`}>{say.asking.risk[risk]}</span> : null}
    </span>
  );
}
