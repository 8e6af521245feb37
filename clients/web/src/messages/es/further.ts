import type { Messages } from "../en/index.ts";
import { pagesOf } from "./counting.ts";

export const further: Messages["further"] = {
  title: "Buscar más allá",
  widen: "Preguntar a todos los ámbitos",
  crawl: (scope) => `Recorrer @${scope} de nuevo`,
  add: "Añadir un sitio",
  what: "Un recorrido trae las páginas que llegaron desde entonces; otro sitio se muestra antes con su coste.",
  check: "Comprobar la página ahora",
  checking: "Se descarga y se lee.",
  checked: {
    unchanged: "La página dice lo que decía.",
    indexed: "La página dice otra cosa; se muestra qué fue de la cita.",
    open: "La página aún no ha llegado; su tarea sigue.",
  },
  pageNumber: (page) => `página ${page}`,
  readByOcr: "leída por OCR",
  noPdf: "El PDF no se conserva; su texto está abajo.",
  openPdf: "Abrir el PDF",
  holds: (pages, isMore) => `${isMore ? "más de " : ""}${pagesOf(pages)}`,
  crawled: "recorrido",
  notCrawled: "aún sin recorrer",
};
