import type { Messages } from "../en/index.ts";
import { number } from "./counting.ts";

export const settings: Messages["settings"] = {
  title: "Einstellungen",
  language: "Sprache",
  byBrowser: "wie der Browser",
  letters: "Einzelne Buchstaben als Tasten",
  lettersWhat: "Ausgeschaltet tun nur die Schaltflächen, was die Buchstaben tun.",
  account: "Konto",
};

export const fresh: Messages["fresh"] = {
  cited: (pages) =>
    pages === 1
      ? "Eine Seite ist zitiert, geprüft"
      : `${number(pages)} Seiten sind zitiert, geprüft`,
  orLater: (chance) =>
    `oder später; dass sich der Sinn des Zitierten seither geändert hat, ist zu ${chance} wahrscheinlich.`,
  about: (chance) => `etwa ${chance}`,
  below: (chance) => `weniger als ${chance}`,
  stood: "Zitiert, was damals galt: Mindestens eine Seite sagt inzwischen etwas anderes.",
};
