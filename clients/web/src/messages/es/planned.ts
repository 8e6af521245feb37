import type { Messages } from "../en/index.ts";

export const planned: Messages["planned"] = {
  checked: (at) => `Se comprobó el ${at}.`,
  changed: (at) => `Una comprobación la encontró cambiada el ${at}.`,
  rate: (rate, low, high) => `Cambia ${rate} veces al día (de ${low} a ${high}).`,
  stale: (chance) => `Ha cambiado desde entonces con una probabilidad de ${chance}.`,
  signalled: (who) => `Que cambió lo anuncia: ${who}.`,
  signals: { sitemap: "el mapa del sitio", feed: "el canal", push: "un aviso" },
  noBudget: "Ningún presupuesto la mantiene fresca.",
  byFloor: (at) => `Toca el ${at}: nada puede esperar más.`,
  byWorth: (at) => `Toca el ${at}, en cuanto su valor alcance el umbral.`,
  worth: (value, threshold, importance) =>
    `Una descarga vale ahora ${value}, el umbral es ${threshold}, su importancia ${importance}.`,
  paidByScope: (scope, fetches) => `Lo paga ${scope} con ${fetches} descargas al día.`,
  paidByAll: (fetches) => `Lo paga la organización con ${fetches} descargas al día.`,
  pace: (host, seconds) => `A ${host} se le pregunta como mucho cada ${seconds} s.`,
  notBefore: (at) => `No se le pregunta antes del ${at}.`,
  asksForChanges: "La próxima descarga pregunta si la página ha cambiado.",
  asksForPage: "La próxima descarga pide la página entera.",
};
