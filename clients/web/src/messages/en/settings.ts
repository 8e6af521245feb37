import { number } from "./counting.ts";

/** What the reader chooses, and who the reader is. */
export const settings = {
  title: "Settings",
  language: "Language",
  byBrowser: "as the browser",
  letters: "Single letters as keys",
  lettersWhat: "Off, only the buttons do what the letters do.",
  account: "Account",
};

/** Sentences that the server tells in English too; in English they are its own. */
export const told = {
  /** By the codes of remarks; `{name}` stands for an argument. */
  remarks: {} as Record<string, string>,
  /** By the reasons of problems. */
  problems: {} as Record<string, string>,
  detail: "The server says",
};

/** How fresh an answer is. */
export const fresh = {
  cited: (pages: number) =>
    pages === 1 ? "One page is cited, verified" : `${number(pages)} pages are cited, verified`,
  orLater: (chance: string) =>
    `or later; the chance that its meaning has changed since is ${chance}.`,
  about: (chance: string) => `about ${chance}`,
  below: (chance: string) => `below ${chance}`,
  stood: "Cites what stood then: at least one page says something else by now.",
};
