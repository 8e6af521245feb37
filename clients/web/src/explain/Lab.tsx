import { idOf, type PassageExplanation } from "@scops/api";
import { signed } from "@scops/ui";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import { useScopes } from "../scopes/useScopes.ts";
import { Presets } from "./Presets.tsx";
import { type Move, speaks } from "./parts.ts";
import { WEIGHTS, type WeightName, type Weights } from "./presets.ts";
import type { AskedRanking, Explainable, Explained } from "./useExplained.ts";

/** As the retriever knows them; the first is what a question takes that names none. */
export const RECIPES = ["default", "hybrid", "temporal", "graph", "fresh", "owlerlite"];
const DEFAULT: AskedRanking = { recipe: "default", weights: {}, preferred: [] };
const REACH: Weights = { alpha: 1, beta: 2, gamma: 1, delta: 3 };
const STEP: Weights = { alpha: 0.05, beta: 0.05, gamma: 0.001, delta: 0.05 };
const SIGNS: Record<WeightName, string> = { alpha: "α", beta: "β", gamma: "γ", delta: "δ" };
/** The part that each weight speaks through. */
const PART_OF: Record<WeightName, string> = {
  alpha: "graph",
  beta: "scope",
  gamma: "scope",
  delta: "fresh",
};

interface LabProps {
  asked: Explainable;
  ranking: AskedRanking | undefined;
  /** By what the passages shown were ranked. */
  used: Explained | undefined;
  passages: PassageExplanation[];
  moves: Map<string, Move> | undefined;
  onRank: (ranking: AskedRanking | undefined) => void;
}

/** Sliders for the weights of the score: ranks follow, and say how they differ from the default. */
export function Lab({ asked, ranking, used, passages, moves, onRank }: LabProps) {
  const at = ranking ?? DEFAULT;
  const id = useId();
  const turn = (name: WeightName, value: number) =>
    onRank({ ...at, weights: { ...at.weights, [name]: value } });
  const elsewhere = [...(moves?.values() ?? [])].filter((move) => move !== 0).length;
  return (
    <section className="pane lab" aria-labelledby="lab-title">
      <div className="pane-head">
        <h2 id="lab-title">{say.lab.title}</h2>
        <label htmlFor={`${id}-recipe`} className="small">
          {say.lab.recipe}
        </label>
        <select
          id={`${id}-recipe`}
          className="button"
          data-size="small"
          value={at.recipe}
          onChange={(event) => onRank({ ...at, recipe: event.target.value, weights: {} })}
        >
          {RECIPES.map((recipe) => (
            <option key={recipe} value={recipe}>
              {recipe}
            </option>
          ))}
        </select>
      </div>
      <div className="pane-body stack">
        <p className="small quiet">{say.lab.recipes[at.recipe]}</p>
        <div className="sliders">
          {WEIGHTS.map((name) => (
            <Slider
              key={name}
              name={name}
              value={at.weights[name] ?? used?.weights?.[name] ?? 0}
              isSilent={!speaks(passages, PART_OF[name])}
              onTurn={(value) => turn(name, value)}
            />
          ))}
        </div>
        <Preferred asked={asked} at={at} onRank={onRank} />
        <div className="split">
          <p className="small quiet" role="status">
            {moves ? say.lab.moved(elsewhere, passages.length) : say.lab.untouched}
          </p>
          <button
            type="button"
            className="button"
            data-size="small"
            disabled={!ranking}
            onClick={() => onRank(undefined)}
          >
            {say.lab.reset}
          </button>
        </div>
        <Presets
          ranking={ranking}
          onTake={({ recipe, weights }) => onRank({ ...at, recipe, weights })}
        />
      </div>
    </section>
  );
}

interface SliderProps {
  name: WeightName;
  value: number;
  /** Nothing of what is shown depends on it. */
  isSilent: boolean;
  onTurn: (value: number) => void;
}

function Slider({ name, value, isSilent, onTurn }: SliderProps) {
  const id = useId();
  const said = signed(value, name === "gamma" ? 3 : 2, "negative");
  return (
    <div className="slider">
      <label htmlFor={id}>
        <strong>{SIGNS[name]}</strong> <span className="quiet">{say.lab.weights[name]}</span>
      </label>
      <input
        id={id}
        type="range"
        min="0"
        max={Math.max(REACH[name], value)}
        step={STEP[name]}
        value={value}
        aria-valuetext={said}
        aria-describedby={isSilent ? `${id}-silent` : undefined}
        onChange={(event) => onTurn(Number(event.target.value))}
      />
      <output htmlFor={id}>{said}</output>
      {isSilent ? (
        <span id={`${id}-silent`} className="field-hint">
          {say.lab.silent[PART_OF[name]]}
        </span>
      ) : null}
    </div>
  );
}

interface PreferredProps {
  asked: Explainable;
  at: AskedRanking;
  onRank: (ranking: AskedRanking) => void;
}

function Preferred({ asked, at, onRank }: PreferredProps) {
  const scopes = useScopes();
  const [isOpen, setOpen] = useState(false);
  const names = asked.scopes.includes("*")
    ? (scopes.data ?? []).map((scope) => scope.name ?? "")
    : asked.scopes;
  const turn = (name: string) => {
    const isIn = at.preferred.includes(name);
    const preferred = isIn ? at.preferred.filter((one) => one !== name) : [...at.preferred, name];
    onRank({ ...at, preferred });
  };
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="small">
        {say.lab.preferred}
        {at.preferred.length > 0 ? `: ${at.preferred.map((one) => `@${idOf(one)}`).join(" ")}` : ""}
      </summary>
      <div className="options">
        {names.map((name) => (
          <label className="option" key={name}>
            <input
              type="checkbox"
              checked={at.preferred.includes(name)}
              onChange={() => turn(name)}
            />
            <span className="scope-name">@{idOf(name)}</span>
          </label>
        ))}
      </div>
    </details>
  );
}
