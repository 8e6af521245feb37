import { type PageChange, type Problem, read, type TextEdit } from "@scops/api";
import { shortAddress, Time } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Link } from "wouter";
import { say } from "../messages/index.ts";
import { kindText } from "../messages/kindText.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useSession } from "../session/session.tsx";
import { idOf } from "./useScopes.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = [1, 7, 30, 365];

/** What changed on the pages of a scope, by weight. */
export function ChangesPlace({ scope }: { scope: string }) {
  // The browser sends no key with a link.
  const { api, hasKey } = useSession();
  const [days, setDays] = useState(30);
  const [withNoise, setNoise] = useState(false);
  const id = useId();
  const changes = useQuery<PageChange[], Problem>({
    queryKey: ["changes", scope, days, withNoise],
    queryFn: async ({ signal }) => {
      const since = new Date(Date.now() - days * DAY_MS).toISOString();
      const params = { path: { scope: idOf(scope) }, query: { since, withNoise } };
      return (await read(api.GET("/v1/scopes/{scope}/changes", { params, signal }))).changes ?? [];
    },
  });
  return (
    <div className="page">
      <div className="page-head">
        <h1>
          {say.changes.title} <span className="scope-name">@{idOf(scope)}</span>
        </h1>
        <div className="actions">
          <label htmlFor={id}>{say.changes.since}</label>
          <select
            id={id}
            className="button"
            value={days}
            onChange={(event) => setDays(Number(event.target.value))}
          >
            {DAYS.map((value) => (
              <option key={value} value={value}>
                {say.changes.days(value)}
              </option>
            ))}
          </select>
          <button
            type="button"
            className="button"
            aria-pressed={withNoise}
            onClick={() => setNoise(!withNoise)}
          >
            {say.changes.noise}
          </button>
          {hasKey ? null : (
            <a className="button" href={`/v1/${scope}/changes.atom`}>
              {say.changes.feed}
            </a>
          )}
        </div>
      </div>
      {changes.error ? <ProblemNotice problem={changes.error} /> : null}
      {changes.data?.length === 0 ? <p className="empty">{say.changes.none}</p> : null}
      {changes.data?.length ? (
        <ol className="pane timeline">
          {changes.data.map((change) => (
            <Change key={`${change.name}${change.toVersion}`} change={change} />
          ))}
        </ol>
      ) : null}
    </div>
  );
}

function Change({ change }: { change: PageChange }) {
  const kind = change.news === "changed" ? (change.changeClass ?? "") : (change.news ?? "");
  return (
    <li>
      <div className="timeline-head">
        <Link href={`/${change.name}`} className="cited-title">
          {change.title || shortAddress(change.uri ?? "")}
        </Link>
        <span className="kind" data-kind={kind}>
          {kindText(kind, change.changeReasons)}
        </span>
        <Time at={change.observedTime ?? ""} />
      </div>
      <span className="address quiet small">{shortAddress(change.uri ?? "")}</span>
      <ul className="stack-small">
        {(change.edits ?? []).map((edit) => (
          <Edit key={`${edit.fromStart}-${edit.toStart}`} edit={edit} />
        ))}
      </ul>
    </li>
  );
}

function Edit({ edit }: { edit: TextEdit }) {
  return (
    <li className="said said-small" dir="auto">
      {edit.fromText ? <del>{edit.fromText}</del> : null}{" "}
      {edit.toText ? <ins>{edit.toText}</ins> : null}
    </li>
  );
}
