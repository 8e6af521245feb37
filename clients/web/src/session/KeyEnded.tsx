import { connect, Problem, read } from "@scops/api";
import { useEffect, useId, useRef, useState } from "react";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { KeyField } from "./KeyField.tsx";
import { REFUSED, useSession } from "./session.tsx";

/** Asks for another key where the one of this tab counts no more; what was written stays behind it. */
export function KeyEnded({ principal }: { principal: string }) {
  const { enter, renew, keep } = useSession();
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const take = async () => {
    try {
      const caller = await read(connect(key.trim()).GET("/v1/me"));
      // What is shown is what the one before might see; somebody else begins anew.
      if (caller.principal === principal) renew(key.trim());
      else enter(key.trim());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  };
  const wasRefused = problem?.status === REFUSED;
  return (
    <dialog ref={dialog} aria-labelledby={`${id}-title`} onClose={keep}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim()) void take();
        }}
      >
        <h2 id={`${id}-title`}>{say.session.ended}</h2>
        <p>{say.session.endedWhy}</p>
        <KeyField value={key} wasRefused={wasRefused} onChange={setKey} />
        {problem && !wasRefused ? <ProblemNotice problem={problem} /> : null}
        <div className="actions">
          <button type="submit" className="button" data-kind="main">
            {say.session.enter}
          </button>
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            {say.close}
          </button>
        </div>
      </form>
    </dialog>
  );
}
