import { idOf, type Problem, read, type Scope, type ScopeRevision } from "@scops/api";
import { Time } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import { useSession } from "../../session/session.tsx";
import { reasonTold } from "./reason.ts";
import { useScopeChange } from "./useScopeChange.ts";

const SHOWN = 20;

interface HistoryProps {
  scope: Scope;
  mayEdit: boolean;
}

/** What a scope was, who made it so and why; one press goes back to it. */
export function History({ scope, mayEdit }: HistoryProps) {
  const { api } = useSession();
  const name = scope.name ?? "";
  const path = { scope: idOf(name) };
  const revisions = useQuery<ScopeRevision[], Problem>({
    queryKey: ["revisions", name],
    queryFn: async ({ signal }) => {
      const params = { path, query: { pageSize: SHOWN } };
      const told = await read(api.GET("/v1/scopes/{scope}/revisions", { params, signal }));
      return told.revisions ?? [];
    },
  });
  const revert = useScopeChange<string>(name, (door, revision) => {
    const etag = scope.etag ? { etag: scope.etag } : {};
    const body = { revision, ...etag };
    return read(door.POST("/v1/scopes/{scope}:revert", { params: { path }, body }));
  });
  const problem = revisions.error ?? revert.error;
  return (
    <section className="pane" aria-labelledby="history-title">
      <div className="pane-head">
        <h2 id="history-title">{say.studio.history}</h2>
      </div>
      {problem ? <ProblemNotice problem={problem} /> : null}
      <ol className="timeline">
        {revisions.data?.map((one, place) => (
          <li key={one.scope?.revision}>
            <div className="timeline-head">
              <strong>{say.studio.revision(one.scope?.revision ?? "")}</strong>
              <Time at={one.changeTime ?? ""} />
              <span className="address small">{one.principal}</span>
              {place > 0 && mayEdit ? (
                <button
                  type="button"
                  className="button"
                  data-size="small"
                  disabled={revert.isPending}
                  aria-label={say.studio.goBackTo(one.scope?.revision ?? "")}
                  onClick={() => revert.mutate(one.scope?.revision ?? "")}
                >
                  {say.studio.goBack}
                </button>
              ) : null}
            </div>
            {one.reason ? (
              <p className="small" dir="auto">
                {reasonTold(one)}
              </p>
            ) : null}
            <ul className="small quiet">
              {one.differences?.map((line) => (
                <li key={line} className="address">
                  {line}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}
