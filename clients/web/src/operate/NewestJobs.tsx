import { Link } from "wouter";
import { JobTable, useJobs } from "../jobs/JobsPlace.tsx";
import { say } from "../messages/index.ts";
import { OperatePart } from "./OperatePart.tsx";

const SHOWN = 8;

/** The newest jobs; the others lie one press away. */
export function NewestJobs() {
  const jobs = useJobs();
  return (
    <OperatePart
      id="jobs"
      title={say.operate.jobs}
      problem={jobs.error}
      onAgain={() => jobs.refetch()}
      head={
        <Link className="button" data-size="small" href="/jobs">
          {say.operate.allJobs}
        </Link>
      }
    >
      {jobs.data?.length === 0 ? <p className="quiet">{say.job.none}</p> : null}
      {jobs.data?.length ? <JobTable jobs={jobs.data.slice(0, SHOWN)} /> : null}
    </OperatePart>
  );
}
