import type { Messages } from "../en/index.ts";

export const planned: Messages["planned"] = {
  checked: (at) => `Geprüft wurde sie am ${at}.`,
  changed: (at) => `Geändert fand sie eine Prüfung am ${at}.`,
  rate: (rate, low, high) => `Sie ändert sich ${rate}-mal am Tag (${low} bis ${high}).`,
  stale: (chance) => `Mit einer Wahrscheinlichkeit von ${chance} hat sie sich seither geändert.`,
  signalled: (who) => `Dass sie sich änderte, sagt: ${who}.`,
  signals: { sitemap: "die Sitemap", feed: "der Feed", push: "eine Meldung" },
  noBudget: "Kein Budget hält sie aktuell.",
  byFloor: (at) => `Fällig ist sie am ${at}: Länger darf nichts warten.`,
  byWorth: (at) => `Fällig ist sie am ${at}, sobald ihr Wert die Schwelle erreicht.`,
  worth: (value, threshold, importance) =>
    `Ein Abruf ist jetzt ${value} wert, die Schwelle ist ${threshold}, ihr Gewicht ${importance}.`,
  paidByScope: (scope, fetches) => `Das bezahlt ${scope} mit ${fetches} Abrufen am Tag.`,
  paidByAll: (fetches) => `Das bezahlt die Organisation mit ${fetches} Abrufen am Tag.`,
  pace: (host, seconds) => `${host} wird höchstens alle ${seconds} s gefragt.`,
  notBefore: (at) => `Vor dem ${at} wird dort nicht gefragt.`,
  asksForChanges: "Der nächste Abruf fragt, ob sich die Seite geändert hat.",
  asksForPage: "Der nächste Abruf fragt nach der ganzen Seite.",
};
