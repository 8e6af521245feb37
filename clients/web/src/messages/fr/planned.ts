import type { Messages } from "../en/index.ts";

export const planned: Messages["planned"] = {
  checked: (at) => `Elle a été vérifiée le ${at}.`,
  changed: (at) => `Une vérification l’a trouvée modifiée le ${at}.`,
  rate: (rate, low, high) => `Elle change ${rate} fois par jour (de ${low} à ${high}).`,
  stale: (chance) => `Elle a changé depuis avec une probabilité de ${chance}.`,
  signalled: (who) => `Qu’elle a changé est annoncé par : ${who}.`,
  signals: { sitemap: "le plan du site", feed: "le flux", push: "un signalement" },
  noBudget: "Aucun budget ne la garde fraîche.",
  byFloor: (at) => `Elle est due le ${at} : rien ne peut attendre plus longtemps.`,
  byWorth: (at) => `Elle est due le ${at}, dès que sa valeur atteint le seuil.`,
  worth: (value, threshold, importance) =>
    `Une récupération vaut maintenant ${value}, le seuil est ${threshold}, son importance ${importance}.`,
  paidByScope: (scope, fetches) => `${scope} paie, avec ${fetches} récupérations par jour.`,
  paidByAll: (fetches) => `L’organisation paie, avec ${fetches} récupérations par jour.`,
  pace: (host, seconds) => `${host} est interrogé au plus toutes les ${seconds} s.`,
  notBefore: (at) => `Il n’est pas interrogé avant le ${at}.`,
  asksForChanges: "La prochaine récupération demande si la page a changé.",
  asksForPage: "La prochaine récupération demande la page entière.",
};
