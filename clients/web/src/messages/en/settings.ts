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

/** How fresh an answer is. */
export const fresh = {
  cited: (pages: number) =>
    pages === 1 ? "One page is cited, verified" : `${number(pages)} pages are cited, verified`,
  orLater: (chance: string) =>
    `or later; the chance that what is cited means something else by now is ${chance}.`,
  about: (chance: string) => `about ${chance}`,
  below: (chance: string) => `below ${chance}`,
  stood: "Cites what stood then: at least one page says something else by now.",
};
