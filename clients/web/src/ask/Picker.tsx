import type { Scope } from "@scops/api";
import { useEffect, useId, useRef, useState } from "react";
import { say } from "../messages/index.ts";
import { idOf } from "../scopes/useScopes.ts";

const EVERY = "*";

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
              const first = found[0]?.name;
              if (first && !chosen.includes(first)) turn(first);
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
        {found.map((scope) => (
          <Option
            key={scope.name}
            name={scope.name ?? ""}
            title={`@${idOf(scope.name)}`}
            hint={[scope.displayName, say.scopesPlace.roles[scope.role ?? ""]].join(" · ")}
            isChosen={chosen.includes(scope.name ?? "")}
            onTurn={turn}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface OptionProps {
  name: string;
  title: string;
  hint: string;
  isChosen: boolean;
  onTurn: (name: string) => void;
}

function Option({ name, title, hint, isChosen, onTurn }: OptionProps) {
  return (
    <label className="option">
      <input type="checkbox" checked={isChosen} onChange={() => onTurn(name)} />
      <span className="scope-name">{title}</span>
      <span className="small">{hint}</span>
    </label>
  );
}
