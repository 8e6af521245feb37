import { idOf, type Scope, type ScopeRule } from "@scops/api";
import { Time } from "@scops/ui";
import { Link } from "wouter";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { RuleErrors } from "./RuleErrors.tsx";
import { mayCrawl } from "./roles.ts";
import { useCrawl } from "./useCrawl.ts";
import { useScopes } from "./useScopes.ts";

const RULES_SHOWN = 5;

/** The scopes that the caller may see. */
export function ScopesPlace() {
  const scopes = useScopes();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{say.scopesPlace.title}</h1>
        <Link className="button" data-kind="main" href="/new">
          {say.add}
        </Link>
      </div>
      {scopes.error ? <ProblemNotice problem={scopes.error} /> : null}
      {scopes.data?.length === 0 ? (
        <p className="empty">{say.scopesPlace.none}</p>
      ) : (
        scopes.data?.map((scope) => <ScopePane key={scope.name} scope={scope} />)
      )}
    </div>
  );
}

function ScopePane({ scope }: { scope: Scope }) {
  const id = idOf(scope.name);
  const crawl = useCrawl();
  const rules = scope.rules ?? [];
  const shown = scope.displayName && scope.displayName !== id ? scope.displayName : "";
  return (
    <section className="pane" aria-labelledby={`scope-${id}`}>
      <div className="pane-head">
        <h2 id={`scope-${id}`}>
          <span className="scope-name">@{id}</span> {shown}
        </h2>
        <Link className="button" data-size="small" href={`/ask?scope=${id}`}>
          {say.scopesPlace.ask}
        </Link>
        <Link className="button" data-size="small" href={`/scopes/${id}`}>
          {say.studio.open}
        </Link>
        <Link className="button" data-size="small" href={`/scopes/${id}/changes`}>
          {say.changes.title}
        </Link>
        {mayCrawl(scope) ? (
          <button
            type="button"
            className="button"
            data-size="small"
            disabled={crawl.isPending}
            onClick={() => crawl.mutate(scope.name ?? "")}
          >
            {say.scopesPlace.crawl}
          </button>
        ) : null}
      </div>
      <div className="pane-body stack-small">
        <ul>
          {rules.slice(0, RULES_SHOWN).map((rule) => (
            <Rule key={`${rule.kind}${rule.pattern}${rule.exclude}`} rule={rule} />
          ))}
        </ul>
        <p className="small quiet">
          {say.scopesPlace.role} {say.scopesPlace.roles[scope.role ?? ""]} ·{" "}
          {say.scopesPlace.updated} <Time at={scope.updateTime ?? ""} />
        </p>
        <RuleErrors scope={scope} />
        {crawl.error ? <ProblemNotice problem={crawl.error} /> : null}
      </div>
    </section>
  );
}

function Rule({ rule }: { rule: ScopeRule }) {
  return (
    <li className="small">
      {rule.exclude ? say.scopesPlace.out : say.scopesPlace.in}{" "}
      <span className="address">{rule.pattern}</span>
    </li>
  );
}
