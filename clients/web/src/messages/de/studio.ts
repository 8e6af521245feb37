import type { Messages } from "../en/index.ts";
import { counted, number, pagesOf } from "./counting.ts";

export const studio: Messages["studio"] = {
  open: "Öffnen",
  owner: "von",
  addRule: "Regel hinzufügen",
  direction: (row) => `Regel ${row}: ein oder aus`,
  kind: (row) => `Regel ${row}: Art`,
  pattern: (row) => `Regel ${row}: Muster`,
  drop: (row) => `Regel ${row} entfernen`,
  excludeWins: "Was eine Regel ausschließt, bleibt draußen, was immer es einlässt.",
  seeds: "Startadressen",
  sitemaps: "Sitemaps",
  oneALine: "Eine Adresse je Zeile.",
  preview: "Was diese Regeln umfassen",
  holds: (matched, known) =>
    `${number(matched)} von ${counted(known, "bekannten Seite", "bekannten Seiten")}.`,
  differs: (into, out) => `${number(into)} kämen hinzu, ${number(out)} fielen heraus.`,
  truncated: "Es sind mehr bekannt, als betrachtet werden.",
  comesIn: "Kommt hinzu",
  goesOut: "Fällt heraus",
  noRule: "keine Regel ließe sie ein",
  reason: "Warum, für den Verlauf",
  save: "Scope ändern",
  discard: "So lassen, wie er ist",
  members: "Mitglieder",
  isPublic: "alle der Organisation dürfen lesen",
  alone: "Er ist mit niemandem geteilt.",
  takeBack: "Entziehen",
  takeBackFrom: (subject) => `Entziehen, was ${subject} darf`,
  subject: "Benutzer, Dienst oder Gruppe",
  roleOf: "Rolle",
  shareWith: "Teilen",
  history: "Verlauf",
  revision: (revision) => `Revision ${revision}`,
  goBack: "Zurückkehren",
  goBackTo: (revision) => `Zu Revision ${revision} zurückkehren`,
  created: "Angelegt",
  wentBackTo: (revision) => `Zurück zu Revision ${revision}`,
};

export const health: Messages["health"] = {
  title: "Zustand",
  none: "Er wurde noch nicht gecrawlt.",
  last: "Letzter Crawl",
  cost: (pages, time) => `${pagesOf(pages)} in ${time}`,
  faults: "Seiten, die fehlen, und was sich tun lässt",
  noFaults: "Keine Seite fehlt.",
  next: "Wann eine Seite wieder abgerufen wird, und warum",
  budget: "Abrufe am Tag, die ihn aktuell halten",
  shared: "0: Er teilt, was die ganze Organisation am Tag abrufen darf.",
  noBudget: "−1: Seine Seiten werden nur durch Crawls abgerufen.",
  perDay: (fetches) =>
    `Höchstens ${counted(fetches, "Abruf", "Abrufe")} am Tag, neben Crawls, die jemand beginnt.`,
  setBudget: "Setzen",
};

export const rendering: Messages["rendering"] = {
  title: "Seiten durch einen Browser",
  always: "Ein Browser zeigt alle seine Seiten, nicht nur die, die ohne Skripte leer sind.",
  perDay: "Seiten am Tag durch einen Browser",
  ours: "0: so viele, wie diese Installation zeigt.",
  never: "−1: Keine seiner Seiten zeigt ein Browser.",
  used: (pages, limit) =>
    limit ? `Heute ${number(pages)} von ${number(limit)}.` : "Heute wird keine für ihn gezeigt.",
  set: "Browser setzen",
};

export const paperSearches: Messages["paperSearches"] = {
  title: "Aufsätze",
  meaning:
    "Recherchen in diesem Scope lassen diese Dienste nach Aufsätzen suchen. Sie erfahren Schlüsselwörter der Frage.",
  set: "Dienste setzen",
};

export const files: Messages["files"] = {
  title: "Als Datei",
  export: "Exportieren",
  import: "Regeln einer Datei übernehmen",
  importWhat:
    "Wie hier exportiert. Sie stehen dann oben, mit dem, was sie umfassen; gespeichert ist noch nichts.",
  wrong:
    "Diese Datei enthält keinen Scope, wie er hier exportiert wird. Eine YAML-Datei nimmt scops apply.",
  pages: "Mit Seiten, Versionen und Index exportiert ihn",
};
