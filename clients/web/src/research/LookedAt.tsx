import type { Research, ResearchPage, ResearchStep } from "@scops/api";
import { shortAddress, shownLocale } from "@scops/ui";
import { endingText } from "../jobs/JobProgress.tsx";
import { say } from "../messages/index.ts";
import { looksOf } from "./looks.ts";

/** Outcomes of pages that there is something to read of; of others it is said why. */
const THERE = new Set(["indexed", "known", "unchanged", "joined"]);

/** What a run has looked at: pages with the links that led to them, and how far they suffice. */
export function LookedAt({ run }: { run: Research }) {
  return (
    <ol className="looks">
      {looksOf(run).map(({ number, pages, look }) => (
        <li key={number} className="stack-small">
          <ul className="looked-pages">
            {pages.map((page) => (
              <li key={page.uri}>
                <Page page={page} />
              </li>
            ))}
          </ul>
          {look ? <Look look={look} /> : null}
        </li>
      ))}
    </ol>
  );
}

function Page({ page }: { page: ResearchPage }) {
  const { outcome = "", reason } = page;
  const words = say.research.outcomes[outcome] ?? say.job.outcomes[outcome] ?? outcome;
  const why = THERE.has(outcome) ? "" : endingText(reason);
  return (
    <>
      <span dir="auto">{page.linkText || say.research.start}</span>
      <span className="address quiet small">{shortAddress(page.uri ?? "")}</span>
      <span className="small" data-outcome={outcome}>
        {page.cited ? <strong>{say.research.cited}</strong> : words}
        {why ? <span className="quiet"> {why}</span> : null}
      </span>
    </>
  );
}

function Look({ look }: { look: ResearchStep }) {
  const share = look.coverage ?? 0;
  const covered = say.research.covered(percent(share));
  return (
    <div className="look">
      <p className="small">
        <strong>{say.research.look(look.number ?? 0)}</strong> {covered}
        {look.stopReason ? null : (
          <span className="quiet">
            , {say.research.weighed(look.candidates ?? 0, look.chosen ?? 0)}
          </span>
        )}
      </p>
      <svg className="coverage" aria-hidden="true">
        <rect width={`${100 * share}%`} height="6" />
      </svg>
      {look.missingWords?.length ? (
        <p className="small quiet">
          {say.research.missing} <span dir="auto">{look.missingWords.join(", ")}</span>
        </p>
      ) : null}
    </div>
  );
}

/** Returns a share in the language of the page. */
export function percent(share: number): string {
  return new Intl.NumberFormat(shownLocale(), { style: "percent" }).format(share);
}
