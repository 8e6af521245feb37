import type { ScoreWeights } from "@scops/api";

export const WEIGHTS = ["alpha", "beta", "gamma", "delta"] as const;
export type WeightName = (typeof WEIGHTS)[number];
export type Weights = Record<WeightName, number>;

/** How passages are ranked: a recipe, and the weights that stand in place of its own. */
export interface Ranking {
  recipe: string;
  weights: Partial<Weights>;
}

export interface Preset extends Ranking {
  name: string;
}

const KEPT = "scops.presets";
const PRESETS_MAX = 50;
const NAME_CHARACTERS_MAX = 60;

/** Returns the presets that this browser keeps, by name; what is none of them is left out. */
export function presets(storage: Storage = localStorage): Preset[] {
  let kept: unknown;
  try {
    kept = JSON.parse(storage.getItem(KEPT) ?? "[]");
  } catch {
    return [];
  }
  return Array.isArray(kept) ? kept.filter(isPreset) : [];
}

/** Keeps a preset in place of the one of its name; of too many the oldest goes. */
export function keep(preset: Preset, storage: Storage = localStorage): Preset[] {
  const name = preset.name.trim().slice(0, NAME_CHARACTERS_MAX);
  const others = presets(storage).filter((one) => one.name !== name);
  const all = [...others, { ...preset, name }].slice(-PRESETS_MAX);
  storage.setItem(KEPT, JSON.stringify(all));
  return all;
}

/** Drops the preset of a name. */
export function drop(name: string, storage: Storage = localStorage): Preset[] {
  const all = presets(storage).filter((one) => one.name !== name);
  storage.setItem(KEPT, JSON.stringify(all));
  return all;
}

/** Returns the weights of a reply as numbers; proto3 leaves a nought out. */
export function weightsOf(told: ScoreWeights | undefined): Weights | undefined {
  if (!told) return undefined;
  return {
    alpha: told.alpha ?? 0,
    beta: told.beta ?? 0,
    gamma: told.gamma ?? 0,
    delta: told.delta ?? 0,
  };
}

function isPreset(value: unknown): value is Preset {
  if (typeof value !== "object" || value === null) return false;
  const { name, recipe, weights } = value as Record<string, unknown>;
  return (
    typeof name === "string" &&
    typeof recipe === "string" &&
    typeof weights === "object" &&
    weights !== null &&
    Object.entries(weights).every(
      ([key, one]) =>
        (WEIGHTS as readonly string[]).includes(key) &&
        typeof one === "number" &&
        Number.isFinite(one),
    )
  );
}
