/** Languages that the page speaks, each by its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español" } as const;
export type Language = keyof typeof LANGUAGES;

const CHOSEN = "scops.language";

/** Returns the language of a reader: the one chosen, else the first of the browser's that we speak. */
export function languageOf(chosen: string | null, wanted: readonly string[]): Language {
  for (const one of [chosen ?? "", ...wanted]) {
    const language = one.toLowerCase().split("-")[0] ?? "";
    if (isLanguage(language)) return language;
  }
  return "en";
}

/** Returns what the reader chose; null for the browser's language. */
export function chosenLanguage(): string | null {
  return globalThis.localStorage?.getItem(CHOSEN) ?? null;
}

/** Keeps a choice; empty for the browser's language. The page says it once it is loaded anew. */
export function chooseLanguage(language: string): void {
  if (language) localStorage.setItem(CHOSEN, language);
  else localStorage.removeItem(CHOSEN);
}

function isLanguage(language: string): language is Language {
  return Object.hasOwn(LANGUAGES, language);
}
