import type { Words } from "../words.ts";

export const told: Words["told"] = {
  parts: {
    prior: ["la valeur de base", "la seule valeur de base"],
    vector: ["la proximité du sens", "un sens plus proche de la question"],
    bm25: ["les mots de la question", "plus de mots de la question"],
    bm25_margin: ["les mots rares", "des mots de la question que peu d’autres ont"],
    sentence: ["sa meilleure phrase", "une phrase plus proche de la question"],
    time: ["l’époque demandée", "une époque qui convient mieux"],
    page: ["le sujet de sa page", "une page plus proche de la question"],
    length: ["sa longueur", "plus de place pour une réponse"],
    graph: ["les liens", "des liens plus étroits avec ce que nomme la question"],
    scope: ["la préférence de périmètres", "un périmètre préféré"],
    fresh: ["la fraîcheur", "un texte plus récent"],
    rerank: ["le reclasseur", "la préférence du modèle qui lit les deux"],
  },
  nothingAhead: "presque rien",
  and: " et ",
  remarks: {
    scopes_deleted: "Les périmètres interrogés ont été supprimés.",
    reply_full:
      "{returned} passages seulement sur {limit} : davantage ne tiendrait pas dans une réponse ; demandez-en moins.",
    search_interrupted:
      "{returned} passages seulement sur {limit} : l’index n’a pas répondu à chaque recherche ; demandez de nouveau.",
    others_score_less:
      "{returned} passages seulement sur {limit} : {below} autres ont été trouvés, mais leur score est inférieur à {min_score}.",
    all_score_less:
      "{returned} passages seulement sur {limit} : {below} ont été trouvés et classés, mais leur score est inférieur à {min_score}.",
    others_less_alike:
      "{returned} passages seulement sur {limit} : {unlike} autres ont été trouvés, mais leur ressemblance avec la question est inférieure à {likeness_min}.",
    all_less_alike:
      "{returned} passages seulement sur {limit} : {unlike} ont été trouvés et classés, mais leur ressemblance avec la question est inférieure à {likeness_min}.",
    few_inside:
      "{returned} passages seulement sur {limit} : les plus proches autour de ces périmètres ont été examinés et peu y sont ; des règles au chemin fixe plus long cherchent mieux.",
    pages_full:
      "{returned} passages seulement sur {limit} : {left} autres sont sur des pages qui ont déjà {page_passages_max} passages ici.",
    others_say_the_same:
      "{returned} passages seulement sur {limit} : les autres disent la même chose, ou sont joints à ceux-ci.",
    others_said_the_same:
      "{returned} passages seulement sur {limit} : les autres disaient alors la même chose, ou étaient joints à ceux-ci.",
    no_more:
      "{returned} passages seulement sur {limit} : ces périmètres n’en contiennent pas plus.",
    no_more_then:
      "{returned} passages seulement sur {limit} : ces périmètres n’en contenaient alors pas plus.",
    nothing_indexed:
      "Rien n’est indexé dans ces périmètres ; parcourez-les d’abord, ou élargissez leurs règles.",
    nothing_indexed_then:
      "Rien n’était alors indexé dans ces périmètres ; parcourez-les d’abord, ou élargissez leurs règles.",
    words_missing: "Sans réponse dans ces périmètres : rien de trouvé ne nomme {words}.",
    unsupported: "Sans réponse dans ces périmètres : aucune phrase trouvée n’appuie une réponse.",
    nearest: "Au plus près : {place}.",
    nearest_lacks: "Au plus près : {place}, où il manque {words}.",
    model_broke_off: "La réponse du modèle s’est interrompue ; ce qu’il avait fini est montré.",
    no_scope:
      "Il n’y a pas encore de périmètre que vous puissiez voir ; créez-en un et parcourez-le.",
    scopes_changed: "Des périmètres ou des règles ont changé entre-temps ; demandez de nouveau.",
    ranks_first: "Rang {rank} : devant le rang {below} par {ahead_by}.",
    ranks_between:
      "Rang {rank} : le rang {above} est devant par {behind_by} ; il est devant le rang {below} par {ahead_by}.",
    ranks_last: "Rang {rank}, le dernier ici : le rang {above} est devant par {behind_by}.",
    ranks_alone: "Rang {rank} : c’est le seul passage ici.",
    relevant: "Il est pertinent avec une probabilité de {percent} %.",
    calibrated:
      "Les probabilités sont calées sur {questions} questions jugées de {sets} collections pour {model} ; vos pages peuvent s’en écarter.",
    rank_without: "Sans {part}, il aurait le rang {rank}.",
    unshown_without: "Sans {part}, il ne serait pas parmi les {among} premiers.",
    rank_if_fresh: "Si son texte était d’aujourd’hui, il aurait le rang {rank}.",
    rank_if_preferred: "Si son périmètre était préféré, il aurait le rang {rank}.",
    rank_if_timely: "S’il parlait de l’époque demandée, il aurait le rang {rank}.",
  },
  problems: {
    SERVER_UNREACHABLE: "Le serveur ne répond pas.",
    RESPONSE_UNREADABLE: "Ce que le serveur a répondu ne peut pas être lu.",
    STREAM_BROKEN_OFF: "La réponse s’est interrompue.",
    GATEWAY_UNAVAILABLE: "Le serveur n’est pas prêt pour l’instant. Réessayez dans un moment.",
    UNAVAILABLE: "Un service ne répond pas pour l’instant. Réessayez dans un moment.",
    OVERLOADED: "Le serveur a trop à faire. Réessayez dans un moment.",
    RATE_LIMITED: "C’était trop de requêtes en peu de temps. Attendez un instant.",
    DAILY_QUOTA_REACHED: "Ce que vous pouvez demander aujourd’hui est épuisé.",
    SCOPE_QUOTA_REACHED: "Vous avez autant de périmètres que permis. Supprimez-en un.",
    PERMISSION_MISSING: "Vous ne pouvez pas faire cela ici. Demandez un rôle au propriétaire.",
    CREDENTIAL_MISSING: "Le serveur veut savoir qui demande. Donnez une clé.",
    CREDENTIAL_UNKNOWN: "Cette clé n’est pas valable ici.",
    SCOPE_NOT_FOUND: "Ce périmètre n’existe pas, ou vous ne pouvez pas le voir.",
    SCOPE_EXISTS: "Il existe déjà un périmètre de ce nom. Choisissez-en un autre.",
    SCOPE_CHANGED: "Le périmètre a changé entre-temps. Rechargez-le, puis modifiez-le.",
    ETAG_MISMATCH: "Le périmètre a changé entre-temps. Rechargez-le, puis modifiez-le.",
    SCOPE_RULES_UNUSABLE: "Avec ces règles, le périmètre ne contiendrait rien. Corrigez-les.",
    SCOPE_WITHOUT_RULES: "Un périmètre a besoin d’une règle qui inclut.",
    TOO_MANY_RULES: "C’est plus de règles qu’un périmètre ne peut en avoir.",
    RULES_TOO_COMPLEX:
      "Les globs et expressions de ces règles sont trop coûteux. Mettez moins de jokers, ou des préfixes.",
    SCOPE_WITHOUT_SEEDS: "Le périmètre n’a pas d’adresse de départ. Donnez-en une.",
    PAGE_NOT_FOUND: "Cette page n’existe pas, ou vous ne pouvez pas la voir.",
    JOB_NOT_FOUND: "Cette tâche n’existe pas, ou vous ne pouvez pas la voir.",
    JOB_RUNNING: "Un parcours de ce périmètre est déjà en cours. Attendez-le, ou annulez-le.",
    CHAT_NOT_FOUND: "Cette conversation n’existe pas, ou son lien a pris fin.",
    CHAT_FULL: "Cette conversation a autant de questions que permis. Commencez-en une autre.",
    CHATS_FULL: "Vous avez autant de conversations que permis. Supprimez-en une.",
    TURN_NOT_FOUND: "Cette question n’existe plus.",
    QUERY_TOO_LONG: "La question est trop longue. Raccourcissez-la.",
    QUERY_EMPTY: "Écrivez une question.",
    SUBJECT_INVALID: "Nommez un utilisateur, un service ou un groupe, tel que user:ann.",
    INVALID_URL: "Ce n’est pas l’adresse d’une page.",
    FIELD_INVALID: "Une indication est inutilisable.",
  },
  ruleError: (pattern, why) => `La règle « ${pattern} » est inutilisable : ${why}.`,
  ruleFaults: {
    length: "elle doit avoir de 1 à 500 caractères, sans espaces",
    kind_missing: "son genre doit être préfixe, glob, expression ou page",
    host_missing:
      "elle doit commencer par un hôte littéral, tel que docs.example.org/guide, ou nommer une collection de fichiers, telle que file://handbook ; seuls http et https sont parcourus",
    url_unreadable: "son adresse ne peut pas être lue ({detail})",
    prefix_wildcard: "un préfixe n’a pas de jokers ; faites-en un glob, ou ôtez le *",
    regex_not_ascii: "les adresses sont en ASCII ; écrivez é comme %C3%A9",
    regex_escape: "un échappement y est comparé comme {detail} ; écrivez-le ainsi",
    regex_host_missing:
      "elle doit commencer par un hôte littéral et une barre oblique, tels que https://docs\\.example\\.org/",
    regex_host_unreadable: "son hôte ne peut pas être lu ({detail})",
    regex_host_dots:
      "les points de son hôte doivent être échappés, comme dans https://docs\\.example\\.org/",
    regex_slash_missing:
      "une barre oblique doit suivre son hôte, comme dans https://docs\\.example\\.org/",
    regex_slash_repeated:
      "la barre oblique après son hôte doit figurer une fois, sans quantificateur",
    regex_alternatives: "les alternatives (|) doivent être entre parenthèses après l’hôte",
    expression_unreadable: "l’expression ne peut pas être lue ({detail})",
  },
  detail: "Le serveur dit",
  partNames: {
    prior: "a priori",
    vector: "vecteur",
    graph: "graphe",
    fresh: "fraîcheur",
    scope: "périmètre",
    bm25: "mots",
    bm25_margin: "mots rares",
    sentence: "phrase",
    time: "temps",
    page: "page",
    length: "longueur",
    rerank: "réordonneur",
  },
};
