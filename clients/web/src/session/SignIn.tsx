import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import { useSession } from "./session.tsx";

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
