import type { Messages } from "../en/index.ts";
import { number } from "./counting.ts";

export const settings: Messages["settings"] = {
  title: "Ajustes",
  language: "Idioma",
  byBrowser: "el del navegador",
  letters: "Letras sueltas como teclas",
  lettersWhat: "Desactivado, solo los botones hacen lo que hacen las letras.",
  account: "Cuenta",
};

export const fresh: Messages["fresh"] = {
  cited: (pages) =>
    pages === 1
      ? "Se cita una página, comprobada"
      : `Se citan ${number(pages)} páginas, comprobadas`,
  orLater: (chance) =>
    `o después; la probabilidad de que lo citado haya cambiado de sentido desde entonces es ${chance}.`,
  about: (chance) => `de cerca del ${chance}`,
  below: (chance) => `inferior al ${chance}`,
  stood: "Cita lo que valía entonces: al menos una página dice ahora otra cosa.",
};
