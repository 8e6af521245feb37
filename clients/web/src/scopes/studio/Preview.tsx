import {
  idOf,
  type PreviewedPage,
  type Problem,
  read,
  type ScopePreview,
  type ScopeRule,
} from "@scops/api";
import { shortAddress } from "@scops/ui";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import { useSession } from "../../session/session.tsx";

const SETTLES_MS = 300;

interface PreviewProps {
  name: string;
  rules: ScopeRule[];
  isChanged: boolean;
}

/** Which known pages some rules hold, and which come in and go out by them, each with why. */
export function Preview({ name, rules, isChanged }: PreviewProps) {
  const { api } = useSession();
  const written = JSON.stringify(rules);
  const [settled, setSettled] = useState(written);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(written), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [written]);
  const preview = useQuery<ScopePreview, Problem>({
    queryKey: ["preview", name, settled],
    enabled: settled !== "[]",
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) => {
      const params = { path: { scope: idOf(name) } };
      const body = { rules: JSON.parse(settled) as ScopeRule[] };
      return read(api.POST("/v1/scopes/{scope}:preview", { params, body, signal }));
    },
  });
  const told = preview.data;
  return (
    <section className="preview" aria-label={say.studio.preview}>
      <h3>{say.studio.preview}</h3>
      <div role="status">
        {preview.error ? <ProblemNotice problem={preview.error} /> : null}
        {told && !preview.error ? (
          <p>
            {say.studio.holds(told.matchedCount ?? 0, told.knownCount ?? 0)}{" "}
            {isChanged ? say.studio.differs(told.inCount ?? 0, told.outCount ?? 0) : ""}
            {told.truncated ? ` ${say.studio.truncated}` : ""}
          </p>
        ) : null}
      </div>
      {isChanged && told && !preview.error ? (
        <div className="preview-sides">
          <Pages title={say.studio.comesIn} kind="added" pages={told.inExamples ?? []} />
          <Pages title={say.studio.goesOut} kind="closed" pages={told.outExamples ?? []} />
        </div>
      ) : null}
    </section>
  );
}

interface PagesProps {
  title: string;
  kind: string;
  pages: PreviewedPage[];
}

function Pages({ title, kind, pages }: PagesProps) {
  if (pages.length === 0) return null;
  return (
    <div className="stack-small">
      <h4 className="kind" data-kind={kind}>
        {title}
      </h4>
      <ul className="stack-small small">
        {pages.map(({ uri, rule }) => (
          <li key={uri}>
            <span className="address">{shortAddress(uri ?? "")}</span>
            <br />
            <span className="quiet">
              {rule
                ? `${say.explain.by} ${say.rules[rule.kind ?? ""]} ${rule.pattern}`
                : say.studio.noRule}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
