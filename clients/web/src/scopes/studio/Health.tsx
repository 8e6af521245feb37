import { idOf, type Job, type Page, type Problem, read, type Scope } from "@scops/api";
import { count, duration, OutcomeBar, shortAddress, Time } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { endingText } from "../../jobs/JobProgress.tsx";
import { OUTCOMES, progressOf, useJob } from "../../jobs/useJob.ts";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import { planText } from "../../pages/plan.ts";
import { useSession } from "../../session/session.tsx";
import { Budget } from "./Budget.tsx";
import { type Fault, faultsOf, secondsOf } from "./health.ts";
import { PaperSearches } from "./PaperSearches.tsx";
import { Rendering } from "./Rendering.tsx";

const FAULTS_SHOWN = 8;

interface HealthProps {
  scope: Scope;
  mayEdit: boolean;
}

/** How the pages of a scope are: what became of them, what is missing and why, and what they cost. */
export function Health({ scope, mayEdit }: HealthProps) {
  const { api } = useSession();
  const name = scope.name ?? "";
  const jobs = useQuery<Job | null, Problem>({
    queryKey: ["jobs", name],
    queryFn: async ({ signal }) => {
      const params = { query: { scope: name, pageSize: 1 } };
      return (await read(api.GET("/v1/jobs", { params, signal }))).jobs?.[0] ?? null;
    },
  });
  return (
    <section className="pane" aria-labelledby="health-title">
      <div className="pane-head">
        <h2 id="health-title">{say.health.title}</h2>
      </div>
      <div className="pane-body stack">
        {jobs.error ? <ProblemNotice problem={jobs.error} /> : null}
        {jobs.data === null ? <p className="small quiet">{say.health.none}</p> : null}
        {jobs.data?.name ? <LastCrawl name={jobs.data.name} /> : null}
        <NextFetch name={name} />
        <Budget key={scope.etag} scope={scope} mayEdit={mayEdit} />
        <Rendering key={`rendering ${scope.etag}`} scope={scope} mayEdit={mayEdit} />
        <PaperSearches key={`papers ${scope.etag}`} scope={scope} mayEdit={mayEdit} />
      </div>
    </section>
  );
}

function LastCrawl({ name }: { name: string }) {
  const { data, error } = useJob(name);
  if (error) return <ProblemNotice problem={error} />;
  if (!data?.job) return <p className="small quiet">{say.loading}</p>;
  const { job, outcomes } = data;
  const { done, total } = progressOf(job.counts);
  const seconds = secondsOf(job);
  const counts = OUTCOMES.map((outcome) => ({
    outcome,
    label: say.job.outcomes[outcome] ?? outcome,
    count: job.counts?.[outcome] ?? 0,
  })).filter((one) => one.count > 0);
  const faults = faultsOf(outcomes);
  return (
    <>
      <p className="small">
        <Link href={`/${name}`}>{say.health.last}</Link> <Time at={job.createTime ?? ""} />
        {seconds === undefined ? null : `: ${say.health.cost(total, said(seconds))}`}
      </p>
      <OutcomeBar counts={counts} summary={say.job.summary(done, total)} />
      {faults.length > 0 ? (
        <ul className="stack-small small" aria-label={say.health.faults}>
          {faults.slice(0, FAULTS_SHOWN).map((fault) => (
            <FaultRow key={`${fault.outcome}${fault.reason}`} fault={fault} />
          ))}
        </ul>
      ) : (
        <p className="small quiet">{say.health.noFaults}</p>
      )}
    </>
  );
}

function said(seconds: number): string {
  return duration(Math.max(1, seconds), say.locale);
}

function FaultRow({ fault }: { fault: Fault }) {
  return (
    <li>
      <strong>
        {count(fault.count, say.locale)} {say.job.outcomes[fault.outcome]}
      </strong>
      {": "}
      {endingText(fault.reason)}{" "}
      <span className="address quiet">{shortAddress(fault.example)}</span>
    </li>
  );
}

/** When a page of the scope is fetched next, and why then. */
function NextFetch({ name }: { name: string }) {
  const { api } = useSession();
  const next = useQuery<Page | null, Problem>({
    queryKey: ["plan", name],
    queryFn: async ({ signal }) => {
      const params = { path: { scope: idOf(name) }, query: { pageSize: 1 } };
      const listed = await read(api.GET("/v1/scopes/{scope}/pages", { params, signal }));
      const page = listed.pages?.[0]?.name;
      if (!page) return null;
      const path = { page: idOf(page) };
      return (await read(api.GET("/v1/pages/{page}", { params: { path }, signal }))).page ?? null;
    },
  });
  if (!next.data?.planFacts) return null;
  return (
    <details>
      <summary className="small">{say.health.next}</summary>
      <p className="small">
        <Link href={`/${next.data.name}`} className="address">
          {shortAddress(next.data.uri ?? "")}
        </Link>
        {": "}
        {planText(next.data.planFacts, say)}
      </p>
    </details>
  );
}
