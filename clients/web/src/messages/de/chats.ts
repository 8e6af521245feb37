import type { Messages } from "../en/index.ts";
import { counted } from "./counting.ts";

export const chats: Messages["chats"] = {
  title: "Chats",
  begin: "Neuer Chat",
  find: "Chat suchen",
  none: "Was Sie fragen, wird hier aufbewahrt.",
  noneFound: "Kein Titel und keine Frage enthält diese Wörter.",
  untitled: "Noch keine Frage",
  turns: (count) => counted(count, "Frage", "Fragen"),
  rename: "Umbenennen",
  titleLabel: "Titel",
  share: "Teilen",
  shareWhat:
    "Mit einem Link können andere dieser Installation den Chat lesen. Jeder sieht die Aussagen der Seiten, die er selbst sehen darf.",
  isShared: "Zu diesem Chat gibt es einen Link.",
  isNotShared: "Zu diesem Chat gibt es keinen Link.",
  link: "Link",
  linkHint: "Er wird jetzt gezeigt und nirgends aufbewahrt; ein neuer beendet ihn.",
  makeLink: "Link erzeugen",
  newLink: "Neuen Link erzeugen",
  endLink: "Link beenden",
  export: "Exportieren",
  formats: {
    markdown: "Markdown, mit Zitaten",
    json: "JSON, alles",
    bibtex: "Zitierte Seiten als BibTeX",
    csl: "Zitierte Seiten als CSL",
    ris: "Zitierte Seiten als RIS",
  },
  warc: "Zitierte Fassungen als WARC",
  delete: "Löschen",
  deleteWhat: (count) =>
    `${counted(count, "Frage verschwindet mit ihrer Antwort", "Fragen verschwinden mit ihren Antworten")}, auch für alle, die einen Link haben.`,
  of: (owner) => `Ein Chat von ${owner}`,
  readOnly: "Dieser Chat gehört jemand anderem. Fragen Sie in einem eigenen Chat.",
  withheld: (count) =>
    `${counted(count, "Aussage fehlt", "Aussagen fehlen")}: von Seiten, die Sie jetzt nicht sehen dürfen oder die gelöscht wurden.`,
  lookingIn: "Gesucht wird in",
  loading: "Der Chat wird gelesen.",
};
