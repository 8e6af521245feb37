import { idOf } from "@scops/api";
import { useId, useState } from "react";
import { useLocation } from "wouter";
import { say } from "../messages/index.ts";
import { useScopes } from "../scopes/useScopes.ts";
import type { Explainable } from "./useExplained.ts";

/** Asks for the question and the scope whose ranking is explained. */
export function QuestionForm({ asked }: { asked: Explainable }) {
  const [, go] = useLocation();
  const scopes = useScopes();
  const [query, setQuery] = useState(asked.query);
  const [scope, setScope] = useState(asked.scopes.length === 1 ? asked.scopes[0] : "*");
  const id = useId();
  return (
    <form
      className="explain-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!query.trim()) return;
        const inside = scope && scope !== "*" ? { scope: idOf(scope) } : {};
        const time = asked.asOf ? { asOf: asked.asOf } : {};
        go(`/explain?${new URLSearchParams({ q: query.trim(), ...inside, ...time })}`);
      }}
    >
      <div className="field">
        <label htmlFor={`${id}-query`}>{say.first.question}</label>
        <input
          id={`${id}-query`}
          className="input"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-scope`}>{say.scopes}</label>
        <select
          id={`${id}-scope`}
          className="input"
          value={scope}
          onChange={(event) => setScope(event.target.value)}
        >
          <option value="*">{say.asking.all}</option>
          {scopes.data?.map((one) => (
            <option key={one.name} value={one.name}>
              @{idOf(one.name)}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" className="button" data-kind="main">
        {say.explain.ask}
      </button>
    </form>
  );
}
