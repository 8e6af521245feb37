import { idOf, type Problem, read } from "@scops/api";
import { Confirm, Notice, OutcomeBar, shortAddress, Time } from "@scops/ui";
import { type UseQueryResult, useMutation } from "@tanstack/react-query";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useSession } from "../session/session.tsx";
import { type Followed, isEnded, OUTCOMES, progressOf, waitsFor } from "./useJob.ts";

const SHOWN_MAX = 500;

interface JobProgressProps {
  followed: UseQueryResult<Followed, Problem>;
  name: string;
}

/** How far a job is: pages by outcome, what it waits for, and its end. */
export function JobProgress({ followed, name }: JobProgressProps) {
  const { api } = useSession();
  const cancel = useMutation<unknown, Problem>({
    mutationFn: () =>
      read(api.POST("/v1/jobs/{job}:cancel", { params: { path: { job: idOf(name) } }, body: {} })),
    onSettled: () => followed.refetch(),
  });
  const problem = cancel.error ?? followed.error;
  const told = followed.data;
  if (!told?.job) {
    return problem ? <ProblemNotice problem={problem} /> : <p>{say.loading}</p>;
  }
  const { job, outcomes, outcomesMissingReason } = told;
  const { done, total } = progressOf(job.counts);
  const counts = OUTCOMES.map((outcome) => ({
    outcome,
    label: say.job.outcomes[outcome] ?? outcome,
    count: job.counts?.[outcome] ?? 0,
  })).filter((one) => one.count > 0);
  return (
    <div className="stack">
      <p className="small quiet">
        {say.job.states[job.state ?? ""]}, {say.job.started} <Time at={job.createTime ?? ""} />
        {job.finishTime ? (
          <>
            , {say.job.ended} <Time at={job.finishTime} />
          </>
        ) : null}
      </p>
      <OutcomeBar counts={counts} summary={say.job.summary(done, total)} />
      {isEnded(job) ? null : (
        <>
          <p className="quiet small" role="status">
            {waiting(told, total)}
          </p>
          <div className="actions">
            <Confirm
              label={say.job.cancel}
              question={say.job.cancelQuestion}
              keep={say.job.goOn}
              disabled={cancel.isPending}
              onConfirm={() => cancel.mutate()}
            />
          </div>
        </>
      )}
      {problem ? <ProblemNotice problem={problem} /> : null}
      {outcomesMissingReason ? (
        <Notice>
          {say.job.missing}
          <span lang="en">{outcomesMissingReason}</span>
        </Notice>
      ) : null}
      {outcomes.length > 0 ? (
        <details>
          <summary className="small quiet">{say.job.openPages}</summary>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{say.job.page}</th>
                <th scope="col">{say.job.outcome}</th>
                <th scope="col">{say.job.why}</th>
              </tr>
            </thead>
            <tbody>
              {outcomes.slice(0, SHOWN_MAX).map((one) => (
                <tr key={one.uri}>
                  <th scope="row" className="address">
                    {shortAddress(one.uri ?? "")}
                  </th>
                  <td>{say.job.outcomes[one.outcome ?? ""]}</td>
                  <td className="quiet">{one.joinedUri || endingText(one.reason)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ) : null}
    </div>
  );
}

/** Why a page ended so and what can be done; a reason without words stands as it is. */
export function endingText(reason: string | undefined): string {
  return say.endings[reason ?? ""] ?? reason ?? "";
}

function waiting({ outcomes, job }: Followed, total: number): string {
  const host = waitsFor(outcomes);
  if (host) return say.job.waiting(host);
  return total > 0 && (job?.counts?.open ?? 0) === 0 ? say.job.indexing : say.job.queued;
}
