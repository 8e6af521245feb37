import { idOf, type PageVersion, type Problem, read } from "@scops/api";
import { isWeb, Time } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { WatchForm } from "../scopes/changes/WatchForm.tsx";
import { useScopes } from "../scopes/useScopes.ts";
import { useSession } from "../session/session.tsx";
import { Difference } from "./Difference.tsx";
import { planText } from "./plan.ts";
import { TimeTravel } from "./TimeTravel.tsx";
import { Versions } from "./Versions.tsx";

const VERSIONS_SHOWN = 100;
/** Who may pin, in a scope that holds the page; a grant may name it beside another role. */
const PINNERS = new Set(["SCOPE_ROLE_EDITOR", "SCOPE_ROLE_OWNER"]);

/** A page: its versions, what each of them changed, and what it said then. */
export function PagePlace({ page }: { page: string }) {
  const { api } = useSession();
  const [chosen, setChosen] = useState<string>();
  const [isWatching, setWatching] = useState(false);
  const path = { page: idOf(page) };
  const scopes = useScopes();
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
  const holding = new Set(about.data?.page?.scopes);
  const mayPin = (scopes.data ?? []).some(
    (scope) => holding.has(scope.name ?? "") && PINNERS.has(scope.role ?? ""),
  );
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1 dir="auto">{versions[0]?.title || say.page.title}</h1>
          {uri ? <Address uri={uri} /> : null}
          {about.data?.page?.capturedBy ? (
            <p className="small quiet">
              {say.asking.capturedBy(about.data.page.capturedBy)}{" "}
              <Time at={about.data.page.lastFetchTime ?? ""} />
            </p>
          ) : null}
          {about.data?.page?.planFacts ? (
            <details className="small quiet">
              <summary>{say.health.next}</summary>
              <p>{planText(about.data.page.planFacts, say)}</p>
            </details>
          ) : null}
        </div>
        <div className="actions">
          <PageFeed page={page} />
          <button
            type="button"
            className="button"
            aria-expanded={isWatching}
            onClick={() => setWatching(!isWatching)}
          >
            {say.changes.watch}
          </button>
        </div>
      </div>
      {isWatching ? (
        <WatchForm watched={{ page }} title={say.changes.watchingPage} reasons={[]} least={0} />
      ) : null}
      {history.error ? (
        <ProblemNotice
          problem={history.error}
          action={
            <button type="button" className="button" onClick={() => history.refetch()}>
              {say.again}
            </button>
          }
        />
      ) : null}
      <Versions page={page} versions={versions} chosen={to} mayPin={mayPin} onChoose={setChosen} />
      {from && to ? (
        <Difference page={page} from={from} to={to} />
      ) : (
        <p className="quiet">{say.page.oldest}</p>
      )}
      {to ? <TimeTravel page={page} versions={versions} chosen={to} onChoose={setChosen} /> : null}
    </div>
  );
}

/** Where a page is; a file lies with who added it, and what it said is shown below. */
function Address({ uri }: { uri: string }) {
  if (!isWeb(uri)) return <span className="address">{uri}</span>;
  return (
    <a className="address" href={uri} rel="noreferrer">
      {uri}
    </a>
  );
}

function PageFeed({ page }: { page: string }) {
  // The browser sends no key with a link.
  const { hasKey } = useSession();
  if (hasKey) return null;
  return (
    <a className="button" href={`/v1/${page}/changes.atom`}>
      {say.changes.feed}
    </a>
  );
}
