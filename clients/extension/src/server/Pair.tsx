import { Problem } from "@scops/api";
import { Mark, Notice, problemTold } from "@scops/ui";
import { useEffect, useId, useState } from "react";
import { say } from "../messages/index.ts";
import { callerAt, closeTab, keyMadeIn, mayReach, openPairing, pairedWith } from "./pairing.ts";
import { pairedServer, serverOf } from "./server.ts";

const LOCAL = "http://127.0.0.1:7301";

interface PairProps {
  /** Of the server that one was paired with, where its key has ended. */
  before?: string;
}

/** Pairs this browser with a server: at once on this machine, else by a key of its own. */
export function Pair({ before }: PairProps) {
  const [typed, setTyped] = useState(before ?? LOCAL);
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [wanting, setWanting] = useState<{ url: string; tabId: number }>();
  const id = useId();
  const pair = async (url: string, key = "", keyName = "") => {
    setBusy(true);
    setError("");
    try {
      const caller = await callerAt(url, key);
      const server = pairedWith(url, key, keyName, caller);
      if (server) await pairedServer.set(server);
      else await ask(url);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      setError(problem.status === 401 ? say.pair.refused : problemTold(problem, say).text);
    }
    setBusy(false);
  };
  const ask = async (url: string) => {
    const tabId = await openPairing(url);
    if (tabId !== undefined) setWanting({ url, tabId });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab that is waited for says all.
  useEffect(() => {
    if (!wanting) return;
    const stopping = new AbortController();
    void keyMadeIn(wanting.tabId, wanting.url, stopping.signal).then((made) => {
      if (made) void pair(wanting.url, made.key, made.keyName).then(() => closeTab(wanting.tabId));
    });
    return () => stopping.abort();
  }, [wanting]);
  return (
    <div className="panel-body stack">
      <Mark size="large" />
      <h1>{say.pair.title}</h1>
      {before ? <Notice kind="superseded">{say.pair.ended}</Notice> : null}
      <form
        className="stack-small"
        onSubmit={async (event) => {
          event.preventDefault();
          const url = serverOf(typed);
          if (!url) setError(say.pair.notServer);
          else if (await mayReach(url)) await pair(url);
          else setError(say.pair.refusedAccess);
        }}
      >
        <div className="field">
          <label htmlFor={id}>{say.pair.server}</label>
          <input
            id={id}
            className="input"
            data-voice="address"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            aria-invalid={error !== ""}
            aria-describedby={`${id}-hint`}
            onChange={(event) => setTyped(event.target.value)}
          />
          <span
            id={`${id}-hint`}
            className={error ? "field-error" : "field-hint"}
            role={error ? "alert" : undefined}
          >
            {error || say.pair.hint}
          </span>
        </div>
        <button type="submit" className="button" data-kind="main" aria-busy={isBusy}>
          {before ? say.pair.anew : say.pair.go}
        </button>
      </form>
      {wanting ? (
        <div className="stack-small" role="status">
          <Notice
            action={
              <button
                type="button"
                className="button"
                data-size="small"
                onClick={() => void ask(wanting.url)}
              >
                {say.pair.open}
              </button>
            }
          >
            {say.pair.wants}
          </Notice>
          <KeyByHand onKey={(key) => void pair(wanting.url, key)} />
        </div>
      ) : null}
    </div>
  );
}

function KeyByHand({ onKey }: { onKey: (key: string) => void }) {
  const [key, setKey] = useState("");
  const id = useId();
  return (
    <details>
      <summary className="small">{say.pair.or}</summary>
      <form
        className="stack-small"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim()) onKey(key.trim());
        }}
      >
        <div className="field">
          <label htmlFor={id}>{say.pair.key}</label>
          <input
            id={id}
            className="input"
            data-voice="address"
            type="password"
            autoComplete="off"
            value={key}
            aria-describedby={`${id}-hint`}
            onChange={(event) => setKey(event.target.value)}
          />
          <span id={`${id}-hint`} className="field-hint">
            {say.pair.keyHint}
          </span>
        </div>
        <button type="submit" className="button">
          {say.pair.enter}
        </button>
      </form>
    </details>
  );
}
