import type { Messages } from "../en/index.ts";
import { pagesOf } from "./counting.ts";

export const further: Messages["further"] = {
  title: "Chercher plus loin",
  widen: "Interroger tous les périmètres",
  crawl: (scope) => `Parcourir @${scope} de nouveau`,
  add: "Ajouter un site",
  what: "Un parcours apporte les pages venues depuis ; un autre site est montré d’abord avec son coût.",
  check: "Vérifier la page maintenant",
  checking: "Elle est récupérée et lue.",
  checked: {
    unchanged: "La page dit ce qu’elle disait.",
    indexed: "La page dit autre chose ; ce qu’est devenue la citation est montré.",
    open: "La page n’est pas encore là ; sa tâche continue.",
  },
  pageNumber: (page) => `p. ${page}`,
  readByOcr: "lue par OCR",
  noPdf: "Le PDF n’est pas conservé ; son texte est ci-dessous.",
  openPdf: "Ouvrir le PDF",
  holds: (pages, isMore) => `${isMore ? "plus de " : ""}${pagesOf(pages)}`,
  crawled: "parcouru",
  notCrawled: "pas encore parcouru",
};
