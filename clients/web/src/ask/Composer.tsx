import { idOf, type Scope } from "@scops/api";
import { X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from "react";
import { isTyping } from "../keys.ts";
import { say } from "../messages/index.ts";
import type { Asked } from "./conversation.ts";
import { Picker } from "./Picker.tsx";

interface ComposerProps {
  question: RefObject<HTMLTextAreaElement | null>;
  scopes: Scope[];
  chosen: string[];
  onChoose: (scopes: string[]) => void;
  isBusy: boolean;
  onAsk: (asked: Asked) => Promise<void>;
}

/** Where a question is written: its scopes, the time that it is about, and the button. */
export function Composer(props: ComposerProps) {
  const { question, scopes, chosen, onChoose, isBusy, onAsk } = props;
  const [query, setQuery] = useState("");
  const [asOf, setAsOf] = useState("");
  const [isPicking, setPicking] = useState(false);
  const id = useId();
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key === "@" && !isTyping(event)) {
        event.preventDefault();
        setPicking(true);
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const send = () => {
    if (!query.trim() || isBusy || chosen.length === 0) return;
    void onAsk({ query: query.trim(), scopes: chosen, asOf: asOf ? `${asOf}T23:59:59Z` : "" });
    setQuery("");
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    } else if (event.key === "@" && (query === "" || query.endsWith(" "))) {
      event.preventDefault();
      setPicking(true);
    }
  };
  return (
    <form
      className="composer"
      aria-label={say.asking.title}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {isPicking ? (
        <Picker
          scopes={scopes}
          chosen={chosen}
          onChoose={onChoose}
          onClose={() => {
            setPicking(false);
            question.current?.focus();
          }}
        />
      ) : null}
      <div className="composer-box">
        <label className="hidden" htmlFor={`${id}-query`}>
          {say.first.question}
        </label>
        <textarea
          ref={question}
          id={`${id}-query`}
          rows={1}
          placeholder={say.asking.placeholder}
          aria-keyshortcuts="/"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={press}
        />
        <div className="composer-row">
          <button
            type="button"
            className="button"
            data-size="small"
            aria-expanded={isPicking}
            aria-keyshortcuts="@"
            onClick={() => setPicking(!isPicking)}
          >
            @ {say.asking.pick}
          </button>
          {chosen.map((scope) => (
            <span className="token" key={scope}>
              {scope === "*" ? say.asking.all : `@${idOf(scope)}`}
              <button
                type="button"
                aria-label={say.asking.remove(idOf(scope))}
                onClick={() => onChoose(chosen.filter((one) => one !== scope))}
              >
                <X className="icon icon-small" aria-hidden="true" />
              </button>
            </span>
          ))}
          <label className="small quiet" htmlFor={`${id}-as-of`}>
            {say.asking.asOf}
          </label>
          <input
            id={`${id}-as-of`}
            className="button"
            data-size="small"
            type="date"
            value={asOf}
            onChange={(event) => setAsOf(event.target.value)}
          />
          <button
            type="submit"
            className="button"
            data-kind="main"
            aria-busy={isBusy}
            disabled={isBusy || !query.trim() || chosen.length === 0}
          >
            {say.asking.send}
          </button>
        </div>
      </div>
    </form>
  );
}
