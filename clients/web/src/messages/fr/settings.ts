import type { Messages } from "../en/index.ts";
import { number } from "./counting.ts";

export const settings: Messages["settings"] = {
  title: "Réglages",
  language: "Langue",
  byBrowser: "celle du navigateur",
  letters: "Lettres seules comme touches",
  lettersWhat: "Désactivé, seuls les boutons font ce que font les lettres.",
  account: "Compte",
};

export const fresh: Messages["fresh"] = {
  cited: (pages) =>
    pages === 1 ? "Une page est citée, vérifiée" : `${number(pages)} pages sont citées, vérifiées`,
  orLater: (chance) =>
    `ou après ; la probabilité que ce qui est cité ait changé de sens depuis est ${chance}.`,
  about: (chance) => `d’environ ${chance}`,
  below: (chance) => `inférieure à ${chance}`,
  stood: "Cite ce qui valait alors : au moins une page dit autre chose maintenant.",
};
