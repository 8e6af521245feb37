import { type Grant, idOf, read, type Scope } from "@scops/api";
import { useId, useState } from "react";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import { useScopeChange } from "./useScopeChange.ts";

const ROLES = ["SCOPE_ROLE_VIEWER", "SCOPE_ROLE_CONTRIBUTOR", "SCOPE_ROLE_EDITOR"] as const;
type GivenRole = (typeof ROLES)[number];
const SHARERS = new Set(["SCOPE_ROLE_OWNER"]);

/** With whom a scope is shared, and what each may; shown to whoever may share it. */
export function Members({ scope }: { scope: Scope }) {
  const [subject, setSubject] = useState("");
  const [role, setRole] = useState<GivenRole>("SCOPE_ROLE_VIEWER");
  const id = useId();
  const name = scope.name ?? "";
  const share = useScopeChange<Grant>(name, (api, grant) => {
    const params = { path: { scope: idOf(name) } };
    return read(api.POST("/v1/scopes/{scope}:share", { params, body: { grant } }));
  });
  const grants = scope.grants ?? [];
  if (!SHARERS.has(scope.role ?? "") && grants.length === 0) return null;
  return (
    <section className="pane" aria-labelledby={`${id}-title`}>
      <div className="pane-head">
        <h2 id={`${id}-title`}>{say.studio.members}</h2>
        {scope.public ? <span className="small quiet">{say.studio.isPublic}</span> : null}
      </div>
      <div className="pane-body stack">
        {grants.length === 0 ? <p className="small quiet">{say.studio.alone}</p> : null}
        <ul className="rule-list" aria-label={say.studio.members}>
          {grants.map((grant) => (
            <li key={grant.subject}>
              <span className="address">{grant.subject}</span>
              <span className="small quiet">
                {[say.scopesPlace.roles[grant.role ?? ""], ...(grant.rights ?? [])].join(", ")}
              </span>
              <button
                type="button"
                className="button"
                data-size="small"
                disabled={share.isPending}
                aria-label={say.studio.takeBackFrom(grant.subject ?? "")}
                onClick={() => share.mutate({ subject: grant.subject ?? "", role: NO_ROLE })}
              >
                {say.studio.takeBack}
              </button>
            </li>
          ))}
        </ul>
        {share.error ? <ProblemNotice problem={share.error} /> : null}
        <form
          className="member-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (!subject.trim()) return;
            share.mutate({ subject: subject.trim(), role }, { onSuccess: () => setSubject("") });
          }}
        >
          <div className="field">
            <label htmlFor={id}>{say.studio.subject}</label>
            <input
              id={id}
              className="input"
              data-voice="address"
              placeholder="user:ann@example.org"
              value={subject}
              onChange={(event) => setSubject(event.target.value)}
            />
          </div>
          <div className="field">
            <label htmlFor={`${id}-role`}>{say.studio.roleOf}</label>
            <select
              id={`${id}-role`}
              className="input"
              value={role}
              onChange={(event) => setRole(event.target.value as GivenRole)}
            >
              {ROLES.map((one) => (
                <option key={one} value={one}>
                  {say.scopesPlace.roles[one]}
                </option>
              ))}
            </select>
          </div>
          <button type="submit" className="button" disabled={!subject.trim() || share.isPending}>
            {say.studio.shareWith}
          </button>
        </form>
      </div>
    </section>
  );
}

/** Without a role a grant is taken back. */
const NO_ROLE = "SCOPE_ROLE_UNSPECIFIED";
