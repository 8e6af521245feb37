import type { Standing } from "../card/place.ts";
import { kept } from "../server/storage.ts";

/** Whether pages that one visits are looked up, and which never. */
export interface BadgeChoice {
  isOn: boolean;
  /** Hosts whose pages are never told to the server; `*.host` for those below one. */
  excluded: string[];
}

export const badgeChoice = kept<BadgeChoice>("badge", { isOn: false, excluded: [] });

/** What a page's badge says. */
export interface Badge {
  standing: Standing;
  /** Changes of meaning since one looked. */
  changes: number;
}

export interface Sign {
  text: string;
  colour: string;
}

const SIGNS: Record<Standing, Sign> = {
  indexed: { text: "✓", colour: "#17653f" },
  gone: { text: "–", colour: "#59635f" },
  matched: { text: "…", colour: "#735200" },
  "kept-out": { text: "", colour: "#59635f" },
  outside: { text: "", colour: "#59635f" },
};
const CHANGED = "#a1231a";
const CHANGES_SHOWN_MAX = 99;

/** Returns how a badge is drawn. */
export function signOf({ standing, changes }: Badge): Sign {
  if (changes === 0) return SIGNS[standing];
  return { text: String(Math.min(changes, CHANGES_SHOWN_MAX)), colour: CHANGED };
}
