import { de } from "./de/index.ts";
import { en, type Messages } from "./en/index.ts";
import { es } from "./es/index.ts";
import { fr } from "./fr/index.ts";
import { chosenLanguage, type Language, languageOf } from "./language.ts";

const MESSAGES: Record<Language, Messages> = { en, de, fr, es };

/** Returns what is said in a language. */
export function messagesOf(language: Language): Messages {
  return MESSAGES[language];
}

/** What the page says, in the language of its reader. */
export const say = messagesOf(languageOf(chosenLanguage(), globalThis.navigator?.languages ?? []));
