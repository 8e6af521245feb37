import { de } from "./de.ts";
import { en, type Messages } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";

const LANGUAGES: Record<string, Messages> = { en, de, fr, es };

/** Returns what is said in the language of a reader; in English where there is none of it. */
export function messagesOf(language: string): Messages {
  return LANGUAGES[language.toLowerCase().split("-")[0] ?? ""] ?? en;
}

/** What the extension says, in the language of the browser. */
export const say = messagesOf(globalThis.navigator?.language ?? "en");
