import type { Messages } from "../en/index.ts";
import { counted, number } from "./counting.ts";

export const research: Messages["research"] = {
  title: "Recherche plus loin",
  what: "Les pages dont les liens promettent une réponse sont récupérées jusqu’à ce qu’elles suffisent : 25 au plus, en deux minutes.",
  inScope: (scope) => `Récupérer des pages de @${scope}`,
  address: "Ou à partir d’une page",
  from: "Chercher à partir de là",
  began: "commencée",
  goesOn: (pages, share) => `Pages récupérées : ${number(pages)}, question couverte à ${share}.`,
  cancel: "Arrêter la recherche",
  cancelQuestion: "Ce qui a été récupéré reste. Arrêter ?",
  looked: "Ce qui a été regardé",
  look: (place) => `Examen ${place} :`,
  covered: (share) => `couvert à ${share}`,
  weighed: (links, chosen) =>
    `${counted(links, "lien pesé", "liens pesés")}, ${counted(chosen, "suivi", "suivis")}`,
  missing: "Il manque :",
  start: "Départ",
  cited: "citée",
  outcomes: {
    "": "en cours de récupération",
    known: "connue",
    late: "pas encore là",
    searched: "consulté",
  },
  stopped: {
    covered: "Arrêtée parce que ce qui a été trouvé suffit.",
    low_gain: "Arrêtée parce que les dernières pages n’ont rien apporté de plus.",
    cost: "Arrêtée parce qu’aucun lien restant ne semble valoir sa récupération.",
    pages: "Arrêtée parce que ses pages sont épuisées.",
    bytes: "Arrêtée parce que ses octets sont épuisés.",
    seconds: "Arrêtée parce que son temps est épuisé.",
    nothing_left: "Arrêtée parce qu’il ne reste aucun lien qu’elle puisse suivre.",
    cancelled: "La recherche a été arrêtée.",
    failed: "La recherche a échoué.",
  },
  fetched: (pages) => `Pages récupérées : ${number(pages)}.`,
  noAnswer: "Il n’y a pas de réponse à montrer.",
  report: "Rapport",
  saveReport: "Enregistrer le rapport",
  chat: "Ouvrir comme discussion",
};
