import type { Messages } from "../en/index.ts";
import { counted, number, pagesOf } from "./counting.ts";

export const studio: Messages["studio"] = {
  open: "Ouvrir",
  owner: "de",
  addRule: "Ajouter une règle",
  direction: (row) => `Règle ${row} : dedans ou dehors`,
  kind: (row) => `Règle ${row} : sorte`,
  pattern: (row) => `Règle ${row} : motif`,
  drop: (row) => `Retirer la règle ${row}`,
  excludeWins: "Ce qu’une règle exclut reste dehors, quelle que soit celle qui l’admet.",
  seeds: "Adresses de départ",
  sitemaps: "Plans de site",
  oneALine: "Une adresse par ligne.",
  preview: "Ce que contiennent ces règles",
  holds: (matched, known) =>
    `${number(matched)} sur ${counted(known, "page connue", "pages connues")}.`,
  differs: (into, out) => `${number(into)} entreraient, ${number(out)} sortiraient.`,
  truncated: "On en connaît plus qu’on n’en regarde.",
  comesIn: "Entre",
  goesOut: "Sort",
  noRule: "aucune règle ne l’admettrait",
  reason: "Pourquoi, pour l’historique",
  save: "Modifier le périmètre",
  discard: "Le laisser tel quel",
  members: "Membres",
  isPublic: "toute l’organisation peut lire",
  alone: "Il n’est partagé avec personne.",
  takeBack: "Retirer",
  takeBackFrom: (subject) => `Retirer ce que peut ${subject}`,
  subject: "Utilisateur, service ou groupe",
  roleOf: "Rôle",
  shareWith: "Partager",
  history: "Historique",
  revision: (revision) => `Révision ${revision}`,
  goBack: "Y revenir",
  goBackTo: (revision) => `Revenir à la révision ${revision}`,
  created: "Créé",
  wentBackTo: (revision) => `Retour à la révision ${revision}`,
};

export const health: Messages["health"] = {
  title: "Santé",
  none: "Il n’a pas encore été parcouru.",
  last: "Dernier parcours",
  cost: (pages, time) => `${pagesOf(pages)} en ${time}`,
  faults: "Pages manquantes, et ce qu’on peut faire",
  noFaults: "Aucune page ne manque.",
  next: "Quand une page sera de nouveau récupérée, et pourquoi",
  budget: "Récupérations par jour qui le gardent frais",
  shared: "0 : il partage ce que toute l’organisation peut récupérer par jour.",
  noBudget: "−1 : ses pages ne sont récupérées que par des parcours.",
  perDay: (fetches) =>
    `${counted(fetches, "récupération", "récupérations")} par jour au plus, outre les parcours que l’on lance.`,
  setBudget: "Fixer",
};

export const rendering: Messages["rendering"] = {
  title: "Pages par un navigateur",
  always:
    "Un navigateur affiche toutes ses pages, pas seulement celles qui sont vides sans scripts.",
  perDay: "Pages par jour par un navigateur",
  ours: "0 : autant que cette installation en affiche.",
  never: "−1 : aucune de ses pages n’est affichée par un navigateur.",
  used: (pages, limit) =>
    limit
      ? `Aujourd’hui ${number(pages)} sur ${number(limit)}.`
      : "Aucune n’est affichée aujourd’hui.",
  set: "Fixer le navigateur",
};

export const paperSearches: Messages["paperSearches"] = {
  title: "Articles",
  meaning:
    "Les recherches dans ce périmètre font chercher des articles par ces services. Ils apprennent des expressions clés de la question.",
  set: "Fixer les services",
};

export const files: Messages["files"] = {
  title: "En fichier",
  export: "Exporter",
  import: "Reprendre les règles d’un fichier",
  importWhat:
    "Tel qu’exporté ici. Elles sont montrées plus haut avec ce qu’elles contiennent ; rien n’est encore enregistré.",
  wrong:
    "Ce fichier ne contient pas de périmètre tel qu’exporté ici. Un fichier YAML passe par scops apply.",
  pages: "Avec ses pages, ses versions et son index, il est exporté par",
};
