import type { Messages } from "../en/index.ts";
import { counted, number, pagesOf } from "./counting.ts";

export const studio: Messages["studio"] = {
  open: "Abrir",
  owner: "de",
  addRule: "Añadir una regla",
  direction: (row) => `Regla ${row}: dentro o fuera`,
  kind: (row) => `Regla ${row}: tipo`,
  pattern: (row) => `Regla ${row}: patrón`,
  drop: (row) => `Quitar la regla ${row}`,
  excludeWins: "Lo que una regla excluye queda fuera, lo admita quien lo admita.",
  seeds: "Direcciones de partida",
  sitemaps: "Mapas del sitio",
  oneALine: "Una dirección por línea.",
  preview: "Qué contienen estas reglas",
  holds: (matched, known) =>
    `${number(matched)} de ${counted(known, "página conocida", "páginas conocidas")}.`,
  differs: (into, out) => `${number(into)} entrarían, ${number(out)} saldrían.`,
  truncated: "Se conocen más de las que se miran.",
  comesIn: "Entra",
  goesOut: "Sale",
  noRule: "ninguna regla la admitiría",
  reason: "Por qué, para el historial",
  save: "Cambiar el ámbito",
  discard: "Dejarlo como está",
  members: "Miembros",
  isPublic: "toda la organización puede leer",
  alone: "No se comparte con nadie.",
  takeBack: "Retirar",
  takeBackFrom: (subject) => `Retirar lo que puede ${subject}`,
  subject: "Usuario, servicio o grupo",
  roleOf: "Rol",
  shareWith: "Compartir",
  history: "Historial",
  revision: (revision) => `Revisión ${revision}`,
  goBack: "Volver a ella",
  goBackTo: (revision) => `Volver a la revisión ${revision}`,
  created: "Creado",
  wentBackTo: (revision) => `Vuelta a la revisión ${revision}`,
};

export const health: Messages["health"] = {
  title: "Salud",
  none: "Aún no se ha recorrido.",
  last: "Último recorrido",
  cost: (pages, time) => `${pagesOf(pages)} en ${time}`,
  faults: "Páginas que faltan, y qué se puede hacer",
  noFaults: "No falta ninguna página.",
  next: "Cuándo se descarga de nuevo una página, y por qué",
  budget: "Descargas al día que lo mantienen fresco",
  shared: "0: comparte lo que toda la organización puede descargar al día.",
  noBudget: "−1: sus páginas solo se descargan en los recorridos.",
  perDay: (fetches) =>
    `${counted(fetches, "descarga", "descargas")} al día como máximo, además de los recorridos que alguien inicia.`,
  setBudget: "Fijar",
};

export const rendering: Messages["rendering"] = {
  title: "Páginas mediante un navegador",
  always: "Un navegador muestra todas sus páginas, no solo las que están vacías sin scripts.",
  perDay: "Páginas al día mediante un navegador",
  ours: "0: tantas como muestre esta instalación.",
  never: "−1: ninguna de sus páginas se muestra en un navegador.",
  used: (pages, limit) =>
    limit ? `Hoy ${number(pages)} de ${number(limit)}.` : "Hoy no se muestra ninguna.",
  set: "Fijar navegador",
};

export const paperSearches: Messages["paperSearches"] = {
  title: "Artículos",
  meaning:
    "Las investigaciones en este ámbito hacen buscar artículos a estos servicios. Se les dicen frases clave de la pregunta.",
  set: "Fijar servicios",
};

export const files: Messages["files"] = {
  title: "Como archivo",
  export: "Exportar",
  import: "Tomar las reglas de un archivo",
  importWhat:
    "Tal como se exporta aquí. Se muestran arriba con lo que contienen; aún no se guarda nada.",
  wrong:
    "Este archivo no contiene ningún ámbito tal como se exporta aquí. Un archivo YAML va por scops apply.",
  pages: "Con sus páginas, versiones e índice se exporta con",
};
