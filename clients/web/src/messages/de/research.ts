import type { Messages } from "../en/index.ts";
import { counted, number, pagesOf } from "./counting.ts";

export const research: Messages["research"] = {
  title: "Es wird weiter gesucht",
  what: "Die Seiten, deren Links eine Antwort versprechen, werden abgerufen, bis sie genügen: höchstens 25, in zwei Minuten.",
  inScope: (scope) => `Seiten von @${scope} abrufen`,
  address: "Oder ab einer Seite",
  from: "Von dort aus suchen",
  began: "begonnen",
  goesOn: (pages, share) => `${pagesOf(pages)} abgerufen, ${share} abgedeckt.`,
  cancel: "Suche beenden",
  cancelQuestion: "Was abgerufen ist, bleibt. Beenden?",
  looked: "Was angesehen wurde",
  look: (place) => `Blick ${place}:`,
  covered: (share) => `${share} abgedeckt`,
  weighed: (links, chosen) =>
    `${counted(links, "Link", "Links")} abgewogen, ${number(chosen)} verfolgt`,
  missing: "Es fehlt:",
  start: "Anfang",
  cited: "zitiert",
  outcomes: {
    "": "wird abgerufen",
    known: "bekannt",
    late: "noch nicht da",
    searched: "durchsucht",
  },
  stopped: {
    covered: "Beendet, weil das Gefundene genügt.",
    low_gain: "Beendet, weil die letzten Seiten nichts mehr brachten.",
    cost: "Beendet, weil kein übriger Link seinen Abruf wert zu sein verspricht.",
    pages: "Beendet, weil die Seiten aufgebraucht sind.",
    bytes: "Beendet, weil die Bytes aufgebraucht sind.",
    seconds: "Beendet, weil die Zeit aufgebraucht ist.",
    nothing_left: "Beendet, weil kein Link übrig ist, dem gefolgt werden darf.",
    cancelled: "Die Suche wurde beendet.",
    failed: "Die Suche ist fehlgeschlagen.",
  },
  fetched: (pages) => `${pagesOf(pages)} abgerufen.`,
  noAnswer: "Es gibt keine Antwort zu zeigen.",
  report: "Bericht",
  saveReport: "Bericht sichern",
  chat: "Als Chat öffnen",
};
