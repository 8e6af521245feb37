import { counted } from "./counting.ts";

export const chats = {
  title: "Chats",
  begin: "New chat",
  find: "Find a chat",
  none: "What you ask is kept here.",
  noneFound: "No title and no question holds these words.",
  untitled: "No question yet",
  turns: (count: number) => counted(count, "question", "questions"),
  rename: "Rename",
  titleLabel: "Title",
  share: "Share",
  shareWhat:
    "A link lets others of this installation read the chat. Each of them is shown the statements of pages that they may see themselves.",
  isShared: "There is a link to this chat.",
  isNotShared: "There is no link to this chat.",
  link: "Link",
  linkHint: "It is shown now and kept nowhere; another one ends it.",
  makeLink: "Make a link",
  newLink: "Make another link",
  endLink: "End the link",
  export: "Export",
  formats: {
    markdown: "Markdown, with quotes",
    json: "JSON, all of it",
    bibtex: "Cited pages as BibTeX",
    csl: "Cited pages as CSL",
    ris: "Cited pages as RIS",
  },
  warc: "Cited versions as WARC",
  delete: "Delete",
  deleteWhat: (count: number) =>
    `${counted(count, "question goes with its answer", "questions go with their answers")}, for everybody who has a link too.`,
  of: (owner: string) => `A chat of ${owner}`,
  readOnly: "This chat is somebody else's. Ask in a chat of your own.",
  withheld: (count: number) =>
    `${counted(count, "statement is", "statements are")} left out: of pages that you may not see now, or that were purged.`,
  lookingIn: "Looking in",
  loading: "The chat is read.",
};
