import { idOf, type Job, type Problem, read } from "@scops/api";
import { Time } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { ResearchList } from "../research/ResearchList.tsx";
import { useSession } from "../session/session.tsx";
import { JobProgress } from "./JobProgress.tsx";
import { progressOf, useJob } from "./useJob.ts";

const LISTED = 50;
const LOOKS_AGAIN_MS = 3000;

/** Returns the newest jobs of every scope that the caller may see, and looks again. */
export function useJobs() {
  const { api } = useSession();
  return useQuery<Job[], Problem>({
    queryKey: ["jobs"],
    queryFn: async ({ signal }) => {
      const query = { pageSize: LISTED };
      return (await read(api.GET("/v1/jobs", { params: { query }, signal }))).jobs ?? [];
    },
    refetchInterval: LOOKS_AGAIN_MS,
  });
}

/** The newest jobs, and the runs that were begun for questions. */
export function JobsPlace() {
  const jobs = useJobs();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{say.job.title}</h1>
      </div>
      {jobs.error ? <ProblemNotice problem={jobs.error} /> : null}
      {jobs.data?.length === 0 ? (
        <div className="empty">
          <p>{say.job.none}</p>
          <Link className="button" href="/new">
            {say.add}
          </Link>
        </div>
      ) : null}
      {jobs.data?.length ? <JobTable jobs={jobs.data} /> : null}
      <ResearchList />
    </div>
  );
}

/** Jobs with their scope, state and pages. */
export function JobTable({ jobs }: { jobs: Job[] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">{say.job.scope}</th>
          <th scope="col">{say.job.state}</th>
          <th scope="col">{say.job.pages}</th>
          <th scope="col">{say.job.when}</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => {
          const { done, total } = progressOf(job.counts);
          return (
            <tr key={job.name}>
              <th scope="row">
                <Link href={`/${job.name}`} className="scope-name">
                  @{idOf(job.scope)}
                </Link>
              </th>
              <td>{say.job.states[job.state ?? ""]}</td>
              <td>{done === total ? say.job.pagesOf(total) : say.job.summary(done, total)}</td>
              <td>
                <Time at={job.createTime ?? ""} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** One job with what became of each page. */
export function JobPlace({ name }: { name: string }) {
  const followed = useJob(name);
  return (
    <div className="page stack">
      <h1>
        {say.job.pages} <span className="scope-name">@{idOf(followed.data?.job?.scope)}</span>
      </h1>
      <JobProgress followed={followed} name={name} />
    </div>
  );
}
