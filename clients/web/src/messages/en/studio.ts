import { counted, number, pagesOf } from "./counting.ts";

export const studio = {
  open: "Open",
  owner: "of",
  addRule: "Add a rule",
  direction: (number: number) => `Rule ${number}: in or out`,
  kind: (number: number) => `Rule ${number}: kind`,
  pattern: (number: number) => `Rule ${number}: pattern`,
  drop: (number: number) => `Drop rule ${number}`,
  excludeWins: "What a rule keeps out stays out, whatever lets it in.",
  seeds: "Seeds",
  sitemaps: "Sitemaps",
  oneALine: "One address a line.",
  preview: "What these rules hold",
  holds: (matched: number, known: number) =>
    `${number(matched)} of ${counted(known, "known page", "known pages")}.`,
  differs: (into: number, out: number) =>
    `${number(into)} would come in, ${number(out)} would go out.`,
  truncated: "More are known than are looked at.",
  comesIn: "Comes in",
  goesOut: "Goes out",
  noRule: "no rule would let it in",
  reason: "Why, for the history",
  save: "Change the scope",
  discard: "Leave it as it is",
  members: "Members",
  isPublic: "everybody of the organisation may read",
  alone: "It is shared with nobody.",
  takeBack: "Take back",
  takeBackFrom: (subject: string) => `Take back what ${subject} may`,
  subject: "User, service or group",
  roleOf: "Role",
  shareWith: "Share",
  history: "History",
  revision: (revision: string) => `Revision ${revision}`,
  goBack: "Go back",
  goBackTo: (revision: string) => `Go back to revision ${revision}`,
  created: "Created",
  wentBackTo: (revision: string) => `Back to revision ${revision}`,
};

/** How the pages of a scope are. */
export const health = {
  title: "Health",
  none: "It was not crawled yet.",
  last: "Last crawl",
  cost: (pages: number, time: string) => `${pagesOf(pages)} in ${time}`,
  faults: "Pages that are missing, and what can be done",
  noFaults: "No page is missing.",
  next: "When a page is fetched next, and why",
  budget: "Fetches a day that keep it fresh",
  shared: "0: it shares what the whole organisation may fetch a day.",
  noBudget: "−1: its pages are fetched by crawls alone.",
  perDay: (fetches: number) =>
    `${counted(fetches, "fetch", "fetches")} a day at most, beside crawls that somebody starts.`,
  setBudget: "Set",
};

/** How a browser shows the pages of a scope. */
export const rendering = {
  title: "Pages by a browser",
  always: "A browser shows all of its pages, not only those that are empty without scripts.",
  perDay: "Pages a day by a browser",
  ours: "0: as many as this installation shows.",
  never: "−1: no page of it is shown by a browser.",
  used: (pages: number, limit: number) =>
    limit ? `Today ${number(pages)} of ${number(limit)}.` : "None is shown for it today.",
  set: "Set browser",
};

/** Who is asked for papers in a scope. */
export const paperSearches = {
  title: "Papers",
  meaning:
    "Research in this scope has these services look for papers. They are told keyphrases of the question.",
  set: "Set services",
};

/** A scope as a file. */
export const files = {
  title: "As a file",
  export: "Export",
  import: "Import rules of a file",
  importWhat: "As exported here. They are shown above with what they hold; nothing is stored yet.",
  wrong: "This file holds no scope as it is exported here. A file in YAML goes by scops apply.",
  pages: "With its pages, versions and index it is exported by",
};
