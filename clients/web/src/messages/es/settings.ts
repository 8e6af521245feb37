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

export const told: Messages["told"] = {
  parts: {
    prior: ["el valor de partida", "solo el valor de partida"],
    vector: ["la cercanía de significado", "un significado más cercano a la pregunta"],
    bm25: ["las palabras de la pregunta", "más palabras de la pregunta"],
    bm25_margin: ["las palabras raras", "palabras de la pregunta que pocos otros tienen"],
    sentence: ["su mejor frase", "una frase más cercana a la pregunta"],
    time: ["el tiempo preguntado", "un tiempo que encaja mejor"],
    page: ["el tema de su página", "una página más cercana a la pregunta"],
    length: ["su longitud", "más espacio para una respuesta"],
    graph: ["los enlaces", "enlaces más estrechos con lo que nombra la pregunta"],
    scope: ["la preferencia de ámbitos", "un ámbito preferido"],
    fresh: ["la frescura", "un texto más reciente"],
    rerank: ["el reordenador", "la preferencia del modelo que lee ambos"],
  },
  nothingAhead: "casi nada",
  and: " y ",
  remarks: {
    scopes_deleted: "Los ámbitos preguntados se han eliminado.",
    reply_full: "Solo {returned} de {limit} pasajes: más no cabrían en una respuesta; pida menos.",
    search_interrupted:
      "Solo {returned} de {limit} pasajes: el índice no respondió a todas las búsquedas; pregunte de nuevo.",
    others_score_less:
      "Solo {returned} de {limit} pasajes: se encontraron {below} más, pero puntúan menos de {min_score}.",
    all_score_less:
      "Solo {returned} de {limit} pasajes: se encontraron y ordenaron {below}, pero puntúan menos de {min_score}.",
    few_inside:
      "Solo {returned} de {limit} pasajes: se miraron los más cercanos en torno a estos ámbitos y pocos están dentro; las reglas con una ruta fija más larga buscan mejor.",
    pages_full:
      "Solo {returned} de {limit} pasajes: {left} más están en páginas que ya tienen {page_passages_max} pasajes aquí.",
    others_say_the_same:
      "Solo {returned} de {limit} pasajes: los demás dicen lo mismo, o van unidos a estos.",
    others_said_the_same:
      "Solo {returned} de {limit} pasajes: los demás decían entonces lo mismo, o iban unidos a estos.",
    no_more: "Solo {returned} de {limit} pasajes: estos ámbitos no contienen más.",
    no_more_then: "Solo {returned} de {limit} pasajes: estos ámbitos no contenían entonces más.",
    nothing_indexed:
      "No hay nada indexado en estos ámbitos; recórralos primero, o amplíe sus reglas.",
    nothing_indexed_then:
      "Entonces no había nada indexado en estos ámbitos; recórralos primero, o amplíe sus reglas.",
    words_missing: "Sin respuesta en estos ámbitos: nada de lo encontrado nombra {words}.",
    unsupported: "Sin respuesta en estos ámbitos: ninguna frase encontrada sustenta una respuesta.",
    nearest: "Lo más cercano: {place}.",
    nearest_lacks: "Lo más cercano: {place}, donde falta {words}.",
    model_broke_off: "La respuesta del modelo se cortó; se muestra lo que había terminado.",
    no_scope: "Aún no hay ningún ámbito que pueda ver; cree uno y recórralo.",
    scopes_changed: "Entretanto cambiaron ámbitos o reglas; pregunte de nuevo.",
    ranks_first: "Puesto {rank}: por delante del puesto {below} por {ahead_by}.",
    ranks_between:
      "Puesto {rank}: el puesto {above} va por delante por {behind_by}; va por delante del puesto {below} por {ahead_by}.",
    ranks_last: "Puesto {rank}, el último aquí: el puesto {above} va por delante por {behind_by}.",
    ranks_alone: "Puesto {rank}: es el único pasaje aquí.",
    relevant: "Es pertinente con una probabilidad del {percent} %.",
    calibrated:
      "Las probabilidades están calibradas con {questions} preguntas juzgadas de {sets} colecciones para {model}; sus páginas pueden diferir.",
    rank_without: "Sin {part} tendría el puesto {rank}.",
    unshown_without: "Sin {part} no estaría entre los primeros {among}.",
    rank_if_fresh: "Si su texto fuera de hoy, tendría el puesto {rank}.",
    rank_if_preferred: "Si su ámbito fuera preferido, tendría el puesto {rank}.",
    rank_if_timely: "Si hablara del tiempo preguntado, tendría el puesto {rank}.",
  },
  problems: {
    SERVER_UNREACHABLE: "El servidor no responde.",
    RESPONSE_UNREADABLE: "No se puede leer lo que respondió el servidor.",
    STREAM_BROKEN_OFF: "La respuesta se cortó.",
    GATEWAY_UNAVAILABLE: "El servidor no está listo ahora. Inténtelo de nuevo en un momento.",
    UNAVAILABLE: "Un servicio no responde ahora. Inténtelo de nuevo en un momento.",
    OVERLOADED: "El servidor tiene demasiado trabajo. Inténtelo de nuevo en un momento.",
    RATE_LIMITED: "Fueron demasiadas peticiones en poco tiempo. Espere un instante.",
    DAILY_QUOTA_REACHED: "Por hoy se ha agotado lo que puede preguntar.",
    SCOPE_QUOTA_REACHED: "Tiene tantos ámbitos como se permiten. Elimine uno.",
    PERMISSION_MISSING: "Aquí no puede hacer eso. Pida un rol al propietario.",
    CREDENTIAL_MISSING: "El servidor quiere saber quién pregunta. Dé una clave.",
    CREDENTIAL_UNKNOWN: "Esta clave no vale aquí.",
    SCOPE_NOT_FOUND: "Este ámbito no existe, o no puede verlo.",
    SCOPE_EXISTS: "Ya hay un ámbito con este nombre. Elija otro.",
    SCOPE_CHANGED: "El ámbito cambió entretanto. Vuelva a cargarlo y cámbielo después.",
    ETAG_MISMATCH: "El ámbito cambió entretanto. Vuelva a cargarlo y cámbielo después.",
    SCOPE_RULES_UNUSABLE: "Con estas reglas el ámbito no contendría nada. Corríjalas.",
    SCOPE_WITHOUT_SEEDS: "El ámbito no tiene dirección de partida. Dé una.",
    PAGE_NOT_FOUND: "Esta página no existe, o no puede verla.",
    JOB_NOT_FOUND: "Esta tarea no existe, o no puede verla.",
    JOB_RUNNING: "Ya hay un recorrido de este ámbito en curso. Espérelo, o cancélelo.",
    CHAT_NOT_FOUND: "Esta conversación no existe, o su enlace se anuló.",
    CHAT_FULL: "Esta conversación tiene tantas preguntas como se permiten. Comience otra.",
    CHATS_FULL: "Tiene tantas conversaciones como se permiten. Elimine una.",
    TURN_NOT_FOUND: "Esta pregunta ya no existe.",
    QUERY_TOO_LONG: "La pregunta es demasiado larga. Acórtela.",
    QUERY_EMPTY: "Escriba una pregunta.",
    SUBJECT_INVALID: "Nombre un usuario, un servicio o un grupo, como user:ann.",
    INVALID_URL: "Esto no es la dirección de una página.",
    FIELD_INVALID: "Un dato no se puede usar.",
  },
  detail: "El servidor dice",
};

export const fresh: Messages["fresh"] = {
  cited: (pages) =>
    pages === 1
      ? "Se cita una página, comprobada"
      : `Se citan ${number(pages)} páginas, comprobadas`,
  orLater: (chance) =>
    `o después; la probabilidad de que su sentido haya cambiado desde entonces es ${chance}.`,
  about: (chance) => `de cerca del ${chance}`,
  below: (chance) => `inferior al ${chance}`,
  stood: "Cita lo que valía entonces: al menos una página dice ahora otra cosa.",
};
