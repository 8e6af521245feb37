import type { Messages } from "../en/index.ts";
import { counted, number } from "./counting.ts";

export const research: Messages["research"] = {
  title: "Buscando más allá",
  what: "Las páginas cuyos enlaces prometen una respuesta se descargan hasta que bastan: 25 como mucho, en dos minutos.",
  inScope: (scope) => `Descargar páginas de @${scope}`,
  address: "O desde una página",
  from: "Buscar desde ahí",
  began: "empezó",
  goesOn: (pages, share) => `Páginas descargadas: ${number(pages)}; ${share} cubierto.`,
  cancel: "Dejar de buscar",
  cancelQuestion: "Lo descargado se queda. ¿Parar?",
  looked: "Lo que se ha mirado",
  look: (place) => `Mirada ${place}:`,
  covered: (share) => `${share} cubierto`,
  weighed: (links, chosen) =>
    `${counted(links, "enlace sopesado", "enlaces sopesados")}, ${counted(chosen, "seguido", "seguidos")}`,
  missing: "Falta:",
  start: "Inicio",
  cited: "citada",
  outcomes: {
    "": "descargándose",
    known: "conocida",
    late: "aún no ha llegado",
    searched: "consultado",
  },
  stopped: {
    covered: "Paró porque lo encontrado basta.",
    low_gain: "Paró porque las últimas páginas no aportaron nada más.",
    cost: "Paró porque ningún enlace restante parece valer su descarga.",
    pages: "Paró porque se agotaron sus páginas.",
    bytes: "Paró porque se agotaron sus bytes.",
    seconds: "Paró porque se agotó su tiempo.",
    nothing_left: "Paró porque no queda ningún enlace que pueda seguir.",
    cancelled: "La búsqueda se detuvo.",
    failed: "La búsqueda falló.",
  },
  fetched: (pages) => `Páginas descargadas: ${number(pages)}.`,
  noAnswer: "No hay respuesta que mostrar.",
  report: "Informe",
  saveReport: "Guardar el informe",
  chat: "Abrir como conversación",
};
