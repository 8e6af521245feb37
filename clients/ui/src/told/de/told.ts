import type { Words } from "../words.ts";

export const told: Words["told"] = {
  parts: {
    prior: ["den Grundwert", "nichts als den Grundwert"],
    vector: ["Nähe der Bedeutung", "eine Bedeutung, die der Frage näher ist"],
    bm25: ["die Wörter der Frage", "mehr Wörter der Frage"],
    bm25_margin: ["seltene Wörter", "Wörter der Frage, die wenige andere haben"],
    sentence: ["ihren besten Satz", "einen Satz, der der Frage näher ist"],
    time: ["die gefragte Zeit", "eine Zeit, die besser zur gefragten passt"],
    page: ["das Thema ihrer Seite", "eine Seite, die der Frage näher ist"],
    length: ["ihre Länge", "mehr Platz für eine Antwort"],
    graph: ["Verknüpfungen", "engere Verknüpfungen mit dem, was die Frage nennt"],
    scope: ["den Vorzug von Scopes", "einen bevorzugten Scope"],
    fresh: ["Frische", "einen neueren Text"],
    rerank: ["den Reranker", "den Vorzug durch das Modell, das beide liest"],
  },
  nothingAhead: "so gut wie nichts",
  and: " und ",
  remarks: {
    scopes_deleted: "Die gefragten Scopes wurden gelöscht.",
    reply_full:
      "Nur {returned} von {limit} Textstellen: Mehr passen nicht in eine Antwort; fragen Sie nach weniger.",
    search_interrupted:
      "Nur {returned} von {limit} Textstellen: Der Index beantwortete nicht jede Suche; fragen Sie noch einmal.",
    others_score_less:
      "Nur {returned} von {limit} Textstellen: {below} weitere wurden gefunden, haben aber weniger als {min_score} Punkte.",
    all_score_less:
      "Nur {returned} von {limit} Textstellen: {below} wurden gefunden und geordnet, haben aber weniger als {min_score} Punkte.",
    others_less_alike:
      "Nur {returned} von {limit} Textstellen: {unlike} weitere wurden gefunden, sind der Frage aber weniger ähnlich als {likeness_min}.",
    all_less_alike:
      "Nur {returned} von {limit} Textstellen: {unlike} wurden gefunden und geordnet, sind der Frage aber weniger ähnlich als {likeness_min}.",
    few_inside:
      "Nur {returned} von {limit} Textstellen: Die nächsten Treffer um diese Scopes wurden durchgesehen, und wenige liegen darin; Regeln mit längerem festem Pfad suchen besser.",
    pages_full:
      "Nur {returned} von {limit} Textstellen: {left} weitere liegen auf Seiten, von denen schon {page_passages_max} Textstellen da sind.",
    others_say_the_same:
      "Nur {returned} von {limit} Textstellen: Die übrigen sagen dasselbe oder gehören zu diesen.",
    others_said_the_same:
      "Nur {returned} von {limit} Textstellen: Die übrigen sagten zu jener Zeit dasselbe oder gehörten zu diesen.",
    no_more: "Nur {returned} von {limit} Textstellen: Mehr enthalten diese Scopes nicht.",
    no_more_then:
      "Nur {returned} von {limit} Textstellen: Mehr enthielten diese Scopes zu jener Zeit nicht.",
    nothing_indexed:
      "In diesen Scopes ist nichts im Index; crawlen Sie sie erst, oder erweitern Sie ihre Regeln.",
    nothing_indexed_then:
      "In diesen Scopes war zu jener Zeit nichts im Index; crawlen Sie sie erst, oder erweitern Sie ihre Regeln.",
    words_missing: "In diesen Scopes nicht beantwortet: Nichts Gefundenes nennt {words}.",
    unsupported: "In diesen Scopes nicht beantwortet: Kein gefundener Satz stützt eine Antwort.",
    nearest: "Am nächsten: {place}.",
    nearest_lacks: "Am nächsten: {place}; dort fehlt {words}.",
    model_broke_off: "Die Antwort des Modells brach ab; gezeigt wird, was fertig war.",
    no_scope:
      "Es gibt noch keinen Scope, den Sie sehen dürfen; legen Sie einen an und crawlen Sie ihn.",
    scopes_changed: "Scopes oder Regeln änderten sich inzwischen; fragen Sie noch einmal.",
    ranks_first: "Rang {rank}: vor Rang {below} durch {ahead_by}.",
    ranks_between:
      "Rang {rank}: Rang {above} liegt davor durch {behind_by}; vor Rang {below} liegt sie durch {ahead_by}.",
    ranks_last: "Rang {rank}, der letzte hier: Rang {above} liegt davor durch {behind_by}.",
    ranks_alone: "Rang {rank}: sie ist hier die einzige Textstelle.",
    relevant: "Mit {percent} % Wahrscheinlichkeit ist sie von Belang.",
    calibrated:
      "Wahrscheinlichkeiten sind an {questions} beurteilten Fragen aus {sets} Sammlungen für {model} geeicht; Ihre Seiten können davon abweichen.",
    rank_without: "Ohne {part} hätte sie Rang {rank}.",
    unshown_without: "Ohne {part} wäre sie nicht unter den ersten {among}.",
    rank_if_fresh: "Wäre ihr Text von heute, hätte sie Rang {rank}.",
    rank_if_preferred: "Wäre ihr Scope bevorzugt, hätte sie Rang {rank}.",
    rank_if_timely: "Spräche sie von der gefragten Zeit, hätte sie Rang {rank}.",
  },
  problems: {
    SERVER_UNREACHABLE: "Der Server antwortet nicht.",
    RESPONSE_UNREADABLE: "Was der Server antwortete, lässt sich nicht lesen.",
    STREAM_BROKEN_OFF: "Die Antwort brach ab.",
    GATEWAY_UNAVAILABLE: "Der Server ist gerade nicht bereit. Versuchen Sie es gleich noch einmal.",
    UNAVAILABLE: "Ein Dienst antwortet gerade nicht. Versuchen Sie es gleich noch einmal.",
    OVERLOADED: "Der Server hat zu viel zu tun. Versuchen Sie es gleich noch einmal.",
    RATE_LIMITED: "Das waren zu viele Anfragen in kurzer Zeit. Warten Sie einen Augenblick.",
    DAILY_QUOTA_REACHED: "Für heute ist aufgebraucht, was Sie fragen dürfen.",
    SCOPE_QUOTA_REACHED: "Sie haben so viele Scopes, wie erlaubt sind. Löschen Sie einen.",
    PERMISSION_MISSING: "Das dürfen Sie hier nicht. Bitten Sie den Besitzer um eine Rolle.",
    CREDENTIAL_MISSING: "Der Server will wissen, wer fragt. Geben Sie einen Schlüssel ein.",
    CREDENTIAL_UNKNOWN: "Dieser Schlüssel gilt hier nicht.",
    SCOPE_NOT_FOUND: "Diesen Scope gibt es nicht, oder Sie dürfen ihn nicht sehen.",
    SCOPE_EXISTS: "Einen Scope dieses Namens gibt es schon. Wählen Sie einen anderen.",
    SCOPE_CHANGED:
      "Der Scope wurde inzwischen geändert. Laden Sie ihn neu und ändern Sie ihn dann.",
    ETAG_MISMATCH:
      "Der Scope wurde inzwischen geändert. Laden Sie ihn neu und ändern Sie ihn dann.",
    SCOPE_RULES_UNUSABLE: "Mit diesen Regeln hielte der Scope keine Seite. Berichtigen Sie sie.",
    SCOPE_WITHOUT_RULES: "Ein Scope braucht eine Regel, die einschließt.",
    TOO_MANY_RULES: "Das sind mehr Regeln, als ein Scope haben darf.",
    RULES_TOO_COMPLEX:
      "Globs und Ausdrücke dieser Regeln sind zu aufwendig. Nehmen Sie weniger Platzhalter, oder Präfixe.",
    SCOPE_WITHOUT_SEEDS: "Der Scope hat keine Startadresse. Nennen Sie eine.",
    PAGE_NOT_FOUND: "Diese Seite gibt es nicht, oder Sie dürfen sie nicht sehen.",
    JOB_NOT_FOUND: "Diesen Auftrag gibt es nicht, oder Sie dürfen ihn nicht sehen.",
    JOB_RUNNING:
      "Ein Crawl dieses Scopes läuft schon. Warten Sie auf ihn, oder brechen Sie ihn ab.",
    CHAT_NOT_FOUND: "Diesen Chat gibt es nicht, oder sein Link ist beendet.",
    CHAT_FULL: "Dieser Chat hat so viele Fragen, wie er darf. Beginnen Sie einen neuen.",
    CHATS_FULL: "Sie haben so viele Chats, wie erlaubt sind. Löschen Sie einen.",
    TURN_NOT_FOUND: "Diese Frage gibt es nicht mehr.",
    QUERY_TOO_LONG: "Die Frage ist zu lang. Kürzen Sie sie.",
    QUERY_EMPTY: "Schreiben Sie eine Frage.",
    SUBJECT_INVALID: "Nennen Sie einen Benutzer, einen Dienst oder eine Gruppe, etwa user:ann.",
    INVALID_URL: "Das ist keine Adresse einer Seite.",
    FIELD_INVALID: "Eine Angabe ist nicht zu gebrauchen.",
  },
  ruleError: (pattern, why) => `Die Regel „${pattern}“ ist nicht zu gebrauchen: ${why}.`,
  ruleFaults: {
    length: "Sie muss 1 bis 500 Zeichen haben, ohne Leerzeichen",
    kind_missing: "Ihre Art muss Präfix, Glob, Ausdruck oder Seite sein",
    host_missing:
      "Sie muss mit einem festen Host beginnen, etwa docs.example.org/guide, oder eine Sammlung von Dateien nennen, etwa file://handbook; gecrawlt wird nur http und https",
    url_unreadable: "Ihre Adresse ist nicht zu lesen ({detail})",
    prefix_wildcard:
      "Ein Präfix hat keine Platzhalter; machen Sie es zum Glob, oder lassen Sie * weg",
    regex_not_ascii: "Adressen sind ASCII; schreiben Sie é als %C3%A9",
    regex_escape: "Eine Maskierung darin wird als {detail} verglichen; schreiben Sie sie so",
    regex_host_missing:
      "Sie muss mit einem festen Host und einem Schrägstrich beginnen, etwa https://docs\\.example\\.org/",
    regex_host_unreadable: "Ihr Host ist nicht zu lesen ({detail})",
    regex_host_dots:
      "Die Punkte ihres Hosts müssen maskiert sein, etwa https://docs\\.example\\.org/",
    regex_slash_missing:
      "Nach ihrem Host muss ein Schrägstrich stehen, etwa https://docs\\.example\\.org/",
    regex_slash_repeated: "Der Schrägstrich nach ihrem Host muss genau einmal stehen, ohne Quantor",
    regex_alternatives: "Alternativen (|) müssen nach dem Host in Klammern stehen",
    expression_unreadable: "Der Ausdruck ist nicht zu lesen ({detail})",
  },
  detail: "Der Server sagt",
  partNames: {
    prior: "Grundwert",
    vector: "Vektor",
    graph: "Graph",
    fresh: "Aktualität",
    scope: "Scope",
    bm25: "Wörter",
    bm25_margin: "seltene Wörter",
    sentence: "Satz",
    time: "Zeit",
    page: "Seite",
    length: "Länge",
    rerank: "Reranker",
  },
};
