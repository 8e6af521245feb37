import type { WhoAmI } from "@scops/api";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import { isLocal, useSession } from "./session.tsx";

/** Asks for a key where the installation wants to know who calls. */
export function SignIn({ wasRefused }: { wasRefused: boolean }) {
  const { enter } = useSession();
  const [key, setKey] = useState("");
  const id = useId();
  return (
    <div className="first">
      <div className="first-head">
        <h1>{say.session.title}</h1>
        <p>{say.session.why}</p>
      </div>
      <form
        className="with-button"
        data-hinted
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim()) enter(key.trim());
        }}
      >
        <div className="field">
          <label htmlFor={id}>{say.session.key}</label>
          <input
            id={id}
            className="input"
            data-size="large"
            data-voice="address"
            type="password"
            autoComplete="off"
            value={key}
            aria-invalid={wasRefused}
            aria-describedby={`${id}-hint`}
            onChange={(event) => setKey(event.target.value)}
          />
          <span id={`${id}-hint`} className={wasRefused ? "field-error" : "field-hint"}>
            {wasRefused ? say.session.refused : say.session.hint}
          </span>
        </div>
        <button type="submit" className="button" data-kind="main" data-size="large">
          {say.session.enter}
        </button>
      </form>
    </div>
  );
}

/** Says who one is, and by what. */
export function Account({ caller }: { caller: WhoAmI }) {
  const { hasKey, leave } = useSession();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{say.account}</h1>
      </div>
      <dl className="pairs">
        <dt>{say.session.you}</dt>
        <dd className="address">{caller.principal}</dd>
        <dt>{say.session.credential}</dt>
        <dd>{say.session.credentials[caller.credential ?? ""]}</dd>
        {caller.groups?.length ? (
          <>
            <dt>{say.session.groups}</dt>
            <dd className="address">{caller.groups.join(", ")}</dd>
          </>
        ) : null}
      </dl>
      {hasKey && !isLocal(caller) ? (
        <p className="actions">
          <button type="button" className="button" onClick={leave}>
            {say.session.leave}
          </button>
        </p>
      ) : null}
    </div>
  );
}
