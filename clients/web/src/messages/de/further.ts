import type { Messages } from "../en/index.ts";
import { pagesOf } from "./counting.ts";

export const further: Messages["further"] = {
  title: "Weiter suchen",
  widen: "Alle Scopes fragen",
  crawl: (scope) => `@${scope} erneut crawlen`,
  add: "Website hinzufügen",
  what: "Ein Crawl bringt Seiten, die seither dazukamen; was eine weitere Website kostet, wird vorher gezeigt.",
  check: "Seite jetzt prüfen",
  checking: "Sie wird abgerufen und gelesen.",
  checked: {
    unchanged: "Die Seite sagt, was sie sagte.",
    indexed: "Die Seite sagt etwas anderes; was aus dem Zitat wurde, wird gezeigt.",
    open: "Die Seite ist noch nicht da; ihr Auftrag läuft weiter.",
  },
  pageNumber: (page) => `Seite ${page}`,
  readByOcr: "durch Texterkennung gelesen",
  noPdf: "Das PDF ist nicht aufbewahrt; sein Text steht unten.",
  openPdf: "PDF öffnen",
  holds: (pages, isMore) => `${isMore ? "mehr als " : ""}${pagesOf(pages)}`,
  crawled: "gecrawlt",
  notCrawled: "noch nicht gecrawlt",
};
