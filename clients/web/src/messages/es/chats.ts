import type { Messages } from "../en/index.ts";
import { counted } from "./counting.ts";

export const chats: Messages["chats"] = {
  title: "Conversaciones",
  begin: "Nueva conversación",
  find: "Buscar una conversación",
  none: "Lo que pregunta se guarda aquí.",
  noneFound: "Ningún título y ninguna pregunta contiene estas palabras.",
  untitled: "Aún sin pregunta",
  turns: (count) => counted(count, "pregunta", "preguntas"),
  rename: "Cambiar el nombre",
  titleLabel: "Título",
  share: "Compartir",
  shareWhat:
    "Un enlace permite a otros de esta instalación leer la conversación. Cada uno ve los enunciados de las páginas que él mismo puede ver.",
  isShared: "Hay un enlace a esta conversación.",
  isNotShared: "No hay ningún enlace a esta conversación.",
  link: "Enlace",
  linkHint: "Se muestra ahora y no se guarda en ningún sitio; otro lo anula.",
  makeLink: "Crear un enlace",
  newLink: "Crear otro enlace",
  endLink: "Anular el enlace",
  export: "Exportar",
  formats: {
    markdown: "Markdown, con citas",
    json: "JSON, todo",
    bibtex: "Páginas citadas en BibTeX",
    csl: "Páginas citadas en CSL",
    ris: "Páginas citadas en RIS",
  },
  warc: "Versiones citadas en WARC",
  delete: "Eliminar",
  deleteWhat: (count) =>
    `${counted(count, "pregunta desaparece con su respuesta", "preguntas desaparecen con sus respuestas")}, también para quienes tienen un enlace.`,
  of: (owner) => `Una conversación de ${owner}`,
  readOnly: "Esta conversación es de otra persona. Pregunte en una suya.",
  withheld: (count) =>
    `${counted(count, "enunciado falta", "enunciados faltan")}: de páginas que ahora no puede ver, o que se purgaron.`,
  lookingIn: "Buscando en",
  loading: "Leyendo la conversación …",
};
