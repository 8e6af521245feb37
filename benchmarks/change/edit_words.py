"""Words and carrier sentences of six languages for generated edits.

Written from grammars, apart from the rules that are judged: nothing here is read by a service.
A word of a pair is replaced by the other one where it stands between spaces (in Chinese anywhere).
"""

from dataclasses import dataclass

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditWords:
    """What of a language the generator replaces.

    Attributes:
        negations: a verb, and the same verb denied.
        modalities: an obligation and a permission, either way.
        units: units that stand behind a number, either way.
        carriers: sentences with `{number}`, `{date}`, `{money}` or `{count}` to be written.
    """

    negations: Pairs
    modalities: Pairs
    units: Pairs
    carriers: tuple[str, ...]


WORDS = {
    "en": EditWords(
        negations=(("is", "is not"), ("was", "was not"), ("are", "are not"), ("were", "were not")),
        modalities=(("must", "may"), ("can", "must"), ("should", "may"), ("could", "must")),
        units=(("days", "weeks"), ("years", "months"), ("miles", "kilometres"), ("hours", "days")),
        carriers=(
            "Members must apply by {date} at the latest.",
            "The revised fee is {money} for each visitor.",
            "The hall can hold {number} guests in all.",
            "Replies are sent within {count} days of the request.",
        ),
    ),
    "de": EditWords(
        negations=(("ist", "ist nicht"), ("war", "war nicht"), ("sind", "sind nicht")),
        modalities=(("muss", "darf"), ("kann", "muss"), ("müssen", "können"), ("soll", "muss")),
        units=(("Tage", "Wochen"), ("Jahre", "Monate"), ("Kilometer", "Meter")),
        carriers=(
            "Mitglieder müssen den Antrag bis zum {date} stellen.",
            "Die geänderte Gebühr beträgt {money} je Besuch.",
            "Der Saal kann {number} Gäste aufnehmen.",
            "Die Kündigung ist bis {count} Tage vor Beginn möglich.",
        ),
    ),
    "fr": EditWords(
        negations=(("est", "n'est pas"), ("était", "n'était pas"), ("sont", "ne sont pas")),
        modalities=(("doit", "peut"), ("peut", "doit"), ("peuvent", "doivent")),
        units=(("jours", "semaines"), ("ans", "mois"), ("kilomètres", "mètres")),
        carriers=(
            "Les membres doivent déposer leur demande avant le {date} au soir.",
            "Le tarif révisé est de {money} par visite.",
            "La salle peut recevoir {number} personnes.",
            "La réponse est envoyée dans les {count} jours qui suivent.",
        ),
    ),
    "es": EditWords(
        negations=(("es", "no es"), ("era", "no era"), ("fue", "no fue"), ("son", "no son")),
        modalities=(("debe", "puede"), ("puede", "debe"), ("pueden", "deben")),
        units=(("días", "semanas"), ("años", "meses"), ("kilómetros", "metros")),
        carriers=(
            "Los socios deben presentar la solicitud antes del {date} como tarde.",
            "La tarifa revisada es de {money} por visita.",
            "La sala puede recibir a {number} visitantes.",
            "La respuesta se envía en los {count} días siguientes.",
        ),
    ),
    "ru": EditWords(
        negations=(
            ("был", "не был"),
            ("была", "не была"),
            ("были", "не были"),
            ("было", "не было"),
        ),
        modalities=(("должен", "может"), ("может", "должен"), ("могут", "должны")),
        units=(("дней", "недель"), ("лет", "месяцев"), ("километров", "метров")),
        carriers=(
            "Участники должны подать заявку до {date} включительно.",
            "Обновлённая плата составляет {money} за посещение.",
            "Зал может вместить {number} гостей.",
            "Ответ отправляют в течение {count} дней.",
        ),
    ),
    "zh": EditWords(
        negations=(("是", "不是"), ("可以", "不可以"), ("能", "不能")),
        modalities=(("必须", "可以"), ("可以", "必须"), ("应该", "可以")),
        units=(("天", "周"), ("公里", "米"), ("小时", "分钟")),
        carriers=(
            "会员必须在{date}之前提交申请。",
            "修订后的费用是{money}。",
            "大厅可以容纳{number}位客人。",
            "我们会在{count}天内答复。",
        ),
    ),
}
