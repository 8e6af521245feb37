import { X } from "lucide-react";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import { drop, keep, type Preset, presets, type Ranking } from "./presets.ts";

interface PresetsProps {
  ranking: Ranking | undefined;
  onTake: (preset: Preset) => void;
}

/** Weights that were found good, kept by this browser under a name. */
export function Presets({ ranking, onTake }: PresetsProps) {
  const [kept, setKept] = useState(() => presets());
  const [name, setName] = useState("");
  const id = useId();
  return (
    <div className="stack-small">
      {kept.length > 0 ? (
        <ul className="actions" aria-label={say.lab.presets}>
          {kept.map((preset) => (
            <li className="token" key={preset.name}>
              <button type="button" className="token-text" onClick={() => onTake(preset)}>
                {preset.name}
              </button>
              <button
                type="button"
                aria-label={say.lab.drop(preset.name)}
                onClick={() => setKept(drop(preset.name))}
              >
                <X className="icon icon-small" aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      {ranking ? (
        <form
          className="with-button"
          onSubmit={(event) => {
            event.preventDefault();
            if (!name.trim()) return;
            const { recipe, weights } = ranking;
            setKept(keep({ name, recipe, weights }));
            setName("");
          }}
        >
          <div className="field">
            <label htmlFor={id}>{say.lab.presetName}</label>
            <input
              id={id}
              className="input"
              maxLength={60}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <button type="submit" className="button" disabled={!name.trim()}>
            {say.lab.save}
          </button>
        </form>
      ) : null}
    </div>
  );
}
