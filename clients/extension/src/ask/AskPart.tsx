import { answerParts, idOf, Problem, read } from "@scops/api";
import { useEffect, useId, useRef, useState } from "react";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { mayRead, readPage } from "../page/tab.ts";
import { useAsked } from "../server/asked.ts";
import { usePanel } from "../server/panel.tsx";
import { AnswerView } from "./AnswerView.tsx";
import { Explanation } from "./Explanation.tsx";
import { type Reply, taken } from "./reply.ts";

const EVERY = "*";

interface AskPartProps {
  /** A question to begin with, as the address bar gave it. */
  asked: string;
  /** Scopes to ask, by name; none leaves them as they are. */
  scopes: string[];
  isShown: boolean;
}

/** Asks, and reads answers as they come. */
export function AskPart({ asked, scopes, isShown }: AskPartProps) {
  const { api, tab } = usePanel();
  const [query, setQuery] = useState(asked);
  const [chosen, setChosen] = useState<string[]>([EVERY]);
  const [reply, setReply] = useState<Reply>();
  const [isExplained, setExplained] = useState(false);
  const stopping = useRef<AbortController>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => {
    if (isShown) field.current?.focus();
  }, [isShown]);
  useEffect(() => {
    if (scopes.length > 0) setChosen(scopes);
  }, [scopes]);
  const ask = async (query: string, scopes: string[]) => {
    if (!query) return;
    stopping.current?.abort();
    const own = new AbortController();
    stopping.current = own;
    const question = { query, scopes };
    setExplained(false);
    setReply({ ...question, parts: [], isDone: false });
    const change = (fields: (before: Reply) => Reply) =>
      setReply((before) => (before && !own.signal.aborted ? fields(before) : before));
    try {
      for await (const part of answerParts(api, question, own.signal)) {
        change((before) => ({ ...before, parts: [...before.parts, part] }));
      }
    } catch (error) {
      if (own.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      change((before) => ({ ...before, problem: error }));
    }
    change((before) => ({ ...before, isDone: true }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, as the panel opens.
  useEffect(() => {
    if (asked) void ask(asked.trim(), chosen);
    return () => stopping.current?.abort();
  }, []);
  const take = async () => {
    if (!tab?.url || !(await mayRead(tab))) return;
    const selection = (await readPage(tab))?.selection;
    if (selection) setQuery(selection);
  };
  const answer = reply ? taken(reply) : undefined;
  const widen =
    reply && !reply.scopes.includes(EVERY)
      ? () => {
          setChosen([EVERY]);
          void ask(reply.query, [EVERY]);
        }
      : undefined;
  return (
    <>
      <div className="talk-part stack">
        <h1 className={reply ? "said-first" : "hidden"} dir="auto">
          {reply?.query ?? say.ask}
        </h1>
        {reply && answer && !isExplained ? (
          <AnswerView
            reply={reply}
            answer={answer}
            onExplain={() => setExplained(true)}
            onWiden={widen}
          />
        ) : null}
        {reply && isExplained && answer ? (
          <Explanation reply={reply} answer={answer} onBack={() => setExplained(false)} />
        ) : null}
        {reply?.problem ? (
          <ProblemNotice
            problem={reply.problem}
            action={
              <button
                type="button"
                className="button"
                data-size="small"
                onClick={() => void ask(reply.query, reply.scopes)}
              >
                {say.again}
              </button>
            }
          />
        ) : null}
      </div>
      <form
        className="composer"
        aria-label={say.ask}
        onSubmit={(event) => {
          event.preventDefault();
          void ask(query.trim(), chosen);
        }}
      >
        <div className="composer-box">
          <label className="hidden" htmlFor={id}>
            {say.asking.question}
          </label>
          <textarea
            id={id}
            ref={field}
            rows={1}
            placeholder={say.asking.hint}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <div className="composer-row">
            <button
              type="button"
              className="button"
              data-kind="quiet"
              data-size="small"
              onClick={() => void take()}
            >
              {say.asking.selection}
            </button>
            <button type="submit" className="button" data-kind="main" data-size="small">
              {say.asking.send}
            </button>
          </div>
        </div>
        <Scopes chosen={chosen} onChoose={setChosen} />
      </form>
    </>
  );
}

interface ScopesProps {
  chosen: string[];
  onChoose: (chosen: string[]) => void;
}

function Scopes({ chosen, onChoose }: ScopesProps) {
  const { api } = usePanel();
  const { data: scopes } = useAsked("scopes", async (signal) => {
    const params = { query: { pageSize: 1000 } };
    return (await read(api.GET("/v1/scopes", { params, signal }))).scopes ?? [];
  });
  const turn = (name: string) => {
    const others = chosen.filter((one) => one !== EVERY && one !== name);
    const next = chosen.includes(name) ? others : [...others, name];
    onChoose(name === EVERY || next.length === 0 ? [EVERY] : next);
  };
  const names = [EVERY, ...(scopes ?? []).map((scope) => scope.name ?? "")];
  const title = (name: string) => (name === EVERY ? say.asking.all : `@${idOf(name)}`);
  return (
    <details>
      <summary className="small">
        {say.asking.scopes}: <span className="scope-name">{chosen.map(title).join(" ")}</span>
      </summary>
      <fieldset className="options">
        <legend className="hidden">{say.asking.scopes}</legend>
        {names.map((name) => (
          <label className="option" key={name}>
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => turn(name)} />
            <span className="scope-name">{title(name)}</span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}
