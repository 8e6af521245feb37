import { idOf } from "@scops/api";
import { useId, useState } from "react";
import type { AskedTurn } from "../ask/conversation.ts";
import { checkable, EVERY } from "../ask/further.ts";
import { addressOf } from "../first/address.ts";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useScopes } from "../scopes/useScopes.ts";
import { useLookFurther } from "./useLookFurther.ts";

const SCOPES_OFFERED = 3;
/** Scopes that a run asks besides its own. */
const SCOPES_BESIDE = 20;

/** Begins a run for a question: in a scope that was asked, or from a page that is named. */
export function LookFurther({ turn }: { turn: AskedTurn }) {
  const scopes = useScopes().data ?? [];
  const look = useLookFurther();
  const [pasted, setPasted] = useState("");
  const [isWrong, setWrong] = useState(false);
  const id = useId();
  const question = turn.query;
  const asked = turn.scopes.filter((scope) => scope !== EVERY).slice(0, SCOPES_BESIDE);
  return (
    <div className="stack-small">
      <p className="small quiet" id={`${id}-what`}>
        {say.research.what}
      </p>
      <div className="actions">
        {checkable(turn.scopes, scopes)
          .slice(0, SCOPES_OFFERED)
          .map(({ name = "" }) => (
            <button
              type="button"
              className="button"
              key={name}
              disabled={look.isPending}
              aria-describedby={`${id}-what`}
              onClick={() => {
                const beside = asked.filter((scope) => scope !== name);
                look.mutate({ question, scope: name, scopes: beside });
              }}
            >
              {say.research.inScope(idOf(name))}
            </button>
          ))}
      </div>
      <form
        className="with-button"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const address = addressOf(pasted);
          setWrong(!address);
          if (address) look.mutate({ question, uri: address.href, scopes: asked });
        }}
      >
        <div className="field">
          <label htmlFor={id}>{say.research.address}</label>
          <input
            id={id}
            className="input"
            data-voice="address"
            type="url"
            inputMode="url"
            autoComplete="url"
            placeholder="https://docs.example.org/guide/"
            value={pasted}
            aria-invalid={isWrong}
            aria-describedby={isWrong ? `${id}-error` : undefined}
            onChange={(event) => setPasted(event.target.value)}
          />
          {isWrong ? (
            <span className="field-error" id={`${id}-error`} role="alert">
              {say.first.notAddress}
            </span>
          ) : null}
        </div>
        <button type="submit" className="button" disabled={look.isPending}>
          {say.research.from}
        </button>
      </form>
      {look.error ? <ProblemNotice problem={look.error} /> : null}
    </div>
  );
}
