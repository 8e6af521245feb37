import { idOf, type Problem, read, type Scope } from "@scops/api";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import { useSession } from "../../session/session.tsx";
import { WatchForm } from "../changes/WatchForm.tsx";
import { RuleErrors } from "../RuleErrors.tsx";
import { type Draft, draftOf } from "./draft.ts";
import { Files } from "./Files.tsx";
import { Health } from "./Health.tsx";
import { History } from "./History.tsx";
import { Members } from "./Members.tsx";
import { Rules } from "./Rules.tsx";

const EDITORS = new Set(["SCOPE_ROLE_EDITOR", "SCOPE_ROLE_OWNER"]);

/** A scope: what it holds, who may what in it, and what it was. */
export function StudioPlace({ name }: { name: string }) {
  const { api } = useSession();
  const [taken, setTaken] = useState<Draft>();
  const [isWatching, setWatching] = useState(false);
  const path = { scope: idOf(name) };
  const found = useQuery<Scope | null, Problem>({
    queryKey: ["scope", name],
    queryFn: async ({ signal }) =>
      (await read(api.GET("/v1/scopes/{scope}", { params: { path }, signal }))).scope ?? null,
  });
  const scope = found.data;
  if (found.error) return <ProblemNotice problem={found.error} />;
  if (!scope) return <p role="status">{say.loading}</p>;
  const mayEdit = EDITORS.has(scope.role ?? "");
  const shown = scope.displayName && scope.displayName !== path.scope ? scope.displayName : "";
  return (
    <div className="page" data-wide>
      <div className="page-head">
        <div>
          <h1>
            <span className="scope-name">@{path.scope}</span> {shown}
          </h1>
          <p className="small quiet">
            {say.scopesPlace.role} {say.scopesPlace.roles[scope.role ?? ""]} · {say.studio.owner}{" "}
            <span className="address">{scope.owner}</span>
          </p>
        </div>
        <div className="actions">
          <Link className="button" href={`/ask?scope=${path.scope}`}>
            {say.scopesPlace.ask}
          </Link>
          <Link className="button" href={`/scopes/${path.scope}/changes`}>
            {say.changes.title}
          </Link>
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
        <WatchForm
          watched={{ scope: name }}
          title={say.changes.watching(path.scope)}
          reasons={[]}
          least={0}
        />
      ) : null}
      <RuleErrors scope={scope} />
      <div className="studio">
        <Rules
          key={JSON.stringify([draftOf(scope), taken])}
          scope={scope}
          taken={taken}
          mayEdit={mayEdit}
        />
        <div className="stack">
          <Health scope={scope} mayEdit={mayEdit} />
          <Members scope={scope} />
          <History scope={scope} mayEdit={mayEdit} />
          <Files scope={scope} mayEdit={mayEdit} onTake={setTaken} />
        </div>
      </div>
    </div>
  );
}
