import { useState } from "react";
import { say } from "../messages/index.ts";
import { KeyField } from "./KeyField.tsx";
import { useSession } from "./session.tsx";

/** Asks for a key where the installation wants to know who calls. */
export function SignIn({ wasRefused }: { wasRefused: boolean }) {
  const { enter } = useSession();
  const [key, setKey] = useState("");
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
        <KeyField value={key} wasRefused={wasRefused} onChange={setKey} isLarge />
        <button type="submit" className="button" data-kind="main" data-size="large">
          {say.session.enter}
        </button>
      </form>
    </div>
  );
}
