import type { Messages } from "../en/index.ts";
import { counted } from "./counting.ts";

export const chats: Messages["chats"] = {
  title: "Conversations",
  begin: "Nouvelle conversation",
  find: "Chercher une conversation",
  none: "Ce que vous demandez est conservé ici.",
  noneFound: "Aucun titre ni aucune question ne contient ces mots.",
  untitled: "Pas encore de question",
  turns: (count) => counted(count, "question", "questions"),
  rename: "Renommer",
  titleLabel: "Titre",
  share: "Partager",
  shareWhat:
    "Un lien permet à d’autres de cette installation de lire la conversation. Chacun voit les énoncés des pages qu’il peut voir lui-même.",
  isShared: "Il existe un lien vers cette conversation.",
  isNotShared: "Il n’existe pas de lien vers cette conversation.",
  link: "Lien",
  linkHint: "Il est montré maintenant et n’est conservé nulle part ; un autre y met fin.",
  makeLink: "Créer un lien",
  newLink: "Créer un autre lien",
  endLink: "Mettre fin au lien",
  export: "Exporter",
  formats: {
    markdown: "Markdown, avec les citations",
    json: "JSON, en entier",
    bibtex: "Pages citées en BibTeX",
    csl: "Pages citées en CSL",
    ris: "Pages citées en RIS",
  },
  warc: "Versions citées en WARC",
  delete: "Supprimer",
  deleteWhat: (count) =>
    `${counted(count, "question disparaît avec sa réponse", "questions disparaissent avec leurs réponses")}, aussi pour tous ceux qui ont un lien.`,
  of: (owner) => `Une conversation de ${owner}`,
  readOnly: "Cette conversation est à quelqu’un d’autre. Posez votre question dans une des vôtres.",
  withheld: (count) =>
    `${counted(count, "énoncé manque", "énoncés manquent")} : de pages que vous ne pouvez plus voir, ou qui ont été purgées.`,
  lookingIn: "Recherche dans",
  loading: "Lecture de la conversation …",
};
