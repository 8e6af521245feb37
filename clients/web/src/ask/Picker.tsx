import { idOf, type Scope } from "@scops/api";
import { Time } from "@scops/ui";
import { useEffect, useId, useRef, useState } from "react";
import { say } from "../messages/index.ts";
import { EVERY } from "./further.ts";
import { type Holdings, useHoldings } from "./useHoldings.ts";

/** Options whose pages are counted; fewer letters find more. */
const COUNTED_MAX = 8;

interface PickerProps {
  scopes: Scope[];
  chosen: string[];
  onChoose: (scopes: string[]) => void;
  onClose: () => void;
}

/** Chooses scopes: boxes to tick, found by a few letters. */
export function Picker({ scopes, chosen, onChoose, onClose }: PickerProps) {
  const [wanted, setWanted] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => field.current?.focus(), []);
  const letters = wanted.replace("@", "").toLowerCase();
  const found = scopes.filter((scope) =>
    `${idOf(scope.name)} ${scope.displayName ?? ""}`.toLowerCase().includes(letters),
  );
  const turn = (name: string) => {
    if (name === EVERY) onChoose(chosen.includes(EVERY) ? [] : [EVERY]);
    else if (chosen.includes(name)) onChoose(chosen.filter((one) => one !== name));
    else onChoose([...chosen.filter((one) => one !== EVERY), name]);
  };
  return (
    <fieldset
      className="picker floating"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <legend className="hidden">{say.asking.pickTitle}</legend>
      <div className="with-button">
        <div className="field">
          <label className="hidden" htmlFor={id}>
            {say.asking.filter}
          </label>
          <input
            ref={field}
            id={id}
            className="input"
            placeholder={say.asking.filter}
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              // Before the scopes are here, and where none is meant, it stays open.
              const first = found[0]?.name;
              if (!first) return;
              if (!chosen.includes(first)) turn(first);
              onClose();
            }}
          />
        </div>
        <button type="button" className="button" onClick={onClose}>
          {say.close}
        </button>
      </div>
      <div className="options">
        <Option
          name={EVERY}
          title={say.asking.all}
          hint={say.asking.allHint}
          isChosen={chosen.includes(EVERY)}
          onTurn={turn}
        />
        {found.map((scope, place) => (
          <Option
            key={scope.name}
            name={scope.name ?? ""}
            title={`@${idOf(scope.name)}`}
            hint={hintOf(scope)}
            isCounted={place < COUNTED_MAX}
            isChosen={chosen.includes(scope.name ?? "")}
            onTurn={turn}
          />
        ))}
      </div>
    </fieldset>
  );
}

function hintOf({ displayName, name, role }: Scope): string {
  const shown = displayName && displayName !== idOf(name) ? [displayName] : [];
  return [...shown, say.scopesPlace.roles[role ?? ""]].join(" · ");
}

interface OptionProps {
  name: string;
  title: string;
  hint: string;
  isChosen: boolean;
  /** Its pages, and when they were crawled, are told. */
  isCounted?: boolean;
  onTurn: (name: string) => void;
}

function Option({ name, title, hint, isChosen, isCounted = false, onTurn }: OptionProps) {
  const holdings = useHoldings(name, isCounted).data;
  return (
    <label className="option">
      <input type="checkbox" checked={isChosen} onChange={() => onTurn(name)} />
      <span className="scope-name">{title}</span>
      <span className="small">
        {hint}
        {holdings ? <Held holdings={holdings} /> : null}
      </span>
    </label>
  );
}

function Held({ holdings: { pages, isMore, crawledAt } }: { holdings: Holdings }) {
  return (
    <>
      {` · ${say.further.holds(pages, isMore)} · `}
      {crawledAt ? (
        <>
          {say.further.crawled} <Time at={crawledAt} />
        </>
      ) : (
        say.further.notCrawled
      )}
    </>
  );
}
