import { type DiffHunk, type PageVersion, type Problem, read } from "@scops/api";
import { DiffSide, InlineDiff, Time } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { say } from "../messages/index.ts";
import { kindText } from "../messages/kindText.ts";
import { ProblemNotice, Sentence } from "../messages/ProblemNotice.tsx";
import { inEnglish } from "../messages/told.ts";
import { idOf } from "../scopes/useScopes.ts";
import { useSession } from "../session/session.tsx";

const VERSIONS_SHOWN = 100;
/** The reason of a version that follows none. */
const FIRST = "first_version";

/** A page: its versions, and what each of them changed. */
export function PagePlace({ page }: { page: string }) {
  const { api } = useSession();
  const [chosen, setChosen] = useState<string>();
  const path = { page: idOf(page) };
  const about = useQuery({
    queryKey: ["page", page],
    queryFn: ({ signal }) => read(api.GET("/v1/pages/{page}", { params: { path }, signal })),
  });
  const history = useQuery<PageVersion[], Problem>({
    queryKey: ["versions", page],
    queryFn: async ({ signal }) => {
      const params = { path, query: { pageSize: VERSIONS_SHOWN } };
      const told = await read(api.GET("/v1/pages/{page}/versions", { params, signal }));
      return told.versions ?? [];
    },
  });
  const versions = history.data ?? [];
  const to = chosen ?? versions[0]?.version;
  const at = versions.findIndex((one) => one.version === to);
  const from = versions[at + 1]?.version;
  const uri = about.data?.page?.uri ?? "";
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1 dir="auto">{versions[0]?.title || say.page.title}</h1>
          {uri ? (
            <a className="address" href={uri} rel="noreferrer">
              {uri}
            </a>
          ) : null}
          <p className="small quiet">
            <Sentence told={inEnglish(about.data?.page?.plan ?? "")} />
          </p>
        </div>
      </div>
      {history.error ? <ProblemNotice problem={history.error} /> : null}
      <section className="pane" aria-labelledby="versions-title">
        <div className="pane-head">
          <h2 id="versions-title">{say.page.versions}</h2>
        </div>
        <ol className="timeline" reversed>
          {versions.map((one, index) => (
            <li key={one.version}>
              <div className="timeline-head">
                <button
                  type="button"
                  className="button"
                  data-size="small"
                  aria-pressed={one.version === to}
                  onClick={() => setChosen(one.version)}
                >
                  {say.page.number(versions.length - index)}
                </button>
                <Time at={one.observedFromTime ?? ""} />
                <span className="kind" data-kind={one.changeClass}>
                  {one.changeReasons?.includes(FIRST)
                    ? say.page.first
                    : kindText(one.changeClass, one.changeReasons)}
                </span>
              </div>
            </li>
          ))}
        </ol>
      </section>
      {from && to ? (
        <Difference page={page} from={from} to={to} />
      ) : (
        <p className="quiet">{say.page.oldest}</p>
      )}
    </div>
  );
}

function Difference({ page, from, to }: { page: string; from: string; to: string }) {
  const { api } = useSession();
  const [isBeside, setBeside] = useState(false);
  const diff = useQuery({
    queryKey: ["diff", page, from, to],
    queryFn: ({ signal }) => {
      const params = {
        path: { page: idOf(page) },
        query: { fromVersion: from, toVersion: to },
      };
      return read(api.GET("/v1/pages/{page}:diff", { params, signal }));
    },
  });
  return (
    <section className="pane" aria-labelledby="diff-title">
      <div className="pane-head">
        <h2 id="diff-title">{say.page.differs}</h2>
        <button
          type="button"
          className="button"
          data-size="small"
          aria-pressed={isBeside}
          onClick={() => setBeside(!isBeside)}
        >
          {say.page.beside}
        </button>
      </div>
      <div className="pane-body stack">
        {diff.error ? <ProblemNotice problem={diff.error} /> : null}
        {(diff.data?.hunks ?? []).map((hunk) => (
          <Hunk
            key={`${to}${hunk.sectionPath}${hunk.parts?.[0]?.text}`}
            hunk={hunk}
            isBeside={isBeside}
          />
        ))}
      </div>
    </section>
  );
}

function Hunk({ hunk, isBeside }: { hunk: DiffHunk; isBeside: boolean }) {
  const parts = hunk.parts ?? [];
  return (
    <article className="diff">
      <div className="diff-head">
        <span className="small">{(hunk.sectionPath ?? []).join(" › ")}</span>
        <span className="kind" data-kind={hunk.changeClass}>
          {kindText(hunk.changeClass, hunk.changeReasons)}
        </span>
      </div>
      {isBeside ? (
        <div className="diff-sides said said-medium" dir="auto">
          <div>
            <DiffSide parts={parts} side="from" />
          </div>
          <div>
            <DiffSide parts={parts} side="to" />
          </div>
        </div>
      ) : (
        <div className="diff-body said said-medium" dir="auto">
          <InlineDiff parts={parts} />
        </div>
      )}
    </article>
  );
}
