"""Whether cited spans support a claim."""

import pytest

from scops.explainer.model.grounding import is_grounded, numbers

SPAN = "The yearly fee is 24 euros and must be paid to the Tarn office by 31 January 2026."


@pytest.mark.parametrize(
    "claim",
    [
        "The yearly fee is 24 euros.",
        "The fee must be paid by 31 January 2026.",
        "The yearly fee must be paid to the Tarn office.",
    ],
)
def test_claim_that_the_span_says_is_grounded(claim: str) -> None:
    """Fewer words of the same are the same."""
    assert is_grounded(claim, [SPAN], about="")


@pytest.mark.parametrize(
    "claim",
    [
        "The yearly fee is 25 euros.",
        "The fee must be paid by 31 January 2027.",
        "The yearly fee is not 24 euros.",
        "The yearly fee may be paid to the Tarn office.",
        "The yearly fee must be paid to the Ullerby office.",
        "The fee of 24 euros buys a chair, a table, a lamp, a kettle and a carpet.",
        "Die Gebühr beträgt 24 Euro jährlich.",
        "",
    ],
)
def test_claim_beyond_the_span_is_not_grounded(claim: str) -> None:
    """A number, date, name, negation, option or most words of its own are an invention."""
    assert not is_grounded(claim, [SPAN], about="")


def test_name_may_stand_in_the_title() -> None:
    """A span under a title is about whom the page is about."""
    claim = "William Enyart left the army in 1990."

    assert is_grounded(claim, ["He left the army in 1990."], about="William Enyart > Career")
    assert not is_grounded(claim, ["He left the army in 1990."], about="Somebody")


def test_negation_must_stand_in_the_nearest_sentence() -> None:
    """A "not" elsewhere in the span neither helps nor harms."""
    spans = ["Ladders are allowed. Ropes are not allowed."]

    assert is_grounded("Ladders are allowed.", spans, about="")
    assert is_grounded("Ropes are not allowed.", spans, about="")
    assert not is_grounded("Ropes are allowed.", spans, about="")


def test_spelt_and_grouped_numbers_are_numbers() -> None:
    """Three is 3, and 60,000 is 60000."""
    assert is_grounded("The plan has 3 keys.", ["The plan has three keys."], about="")
    assert is_grounded("It allows 60000 calls.", ["It allows 60,000 calls."], about="")
    assert not is_grounded("It allows 60 calls.", ["It allows 60,000 calls."], about="")


def test_nothing_cited_grounds_nothing() -> None:
    """A claim without a span is no answer."""
    assert not is_grounded("The fee is 24 euros.", [], about="The fee is 24 euros.")


# A span, what it says in fewer or other words, and what it does not say: turned round, another
# number in digits and in words, another unit, another name, an option made a duty.
LANGUAGES = {
    "en": (
        "The fee in Ullerby is 20 euros and may be paid in cash.",
        ("The fee in Ullerby is twenty euros.", "The fee may be paid in cash."),
        (
            "The fee in Ullerby isn't 20 euros.",
            "The fee in Ullerby is 13 euros.",
            "The fee in Ullerby is thirteen euros.",
            "The fee in Ullerby is twenty-one euros.",
            "The fee in Ullerby is 20 dollars.",
            "The fee in Tarn is 20 euros.",
            "The fee must be paid in cash.",
        ),
    ),
    "de": (
        "Die Gebühr in Ullerby beträgt 20 Euro und kann bar bezahlt werden.",
        ("Die Gebühr in Ullerby beträgt zwanzig Euro.", "Die Gebühr kann bar bezahlt werden."),
        (
            "Die Gebühr in Ullerby beträgt nicht 20 Euro.",
            "Die Gebühr in Ullerby beträgt 13 Euro.",
            "Die Gebühr in Ullerby beträgt dreizehn Euro.",
            "Die Gebühr in Ullerby beträgt einundzwanzig Euro.",
            "Die Gebühr in Ullerby beträgt 20 Dollar.",
            "Die Gebühr in Tarn beträgt 20 Euro.",
            "Die Gebühr muss bar bezahlt werden.",
        ),
    ),
    "fr": (
        "Le tarif de Ullerby est de 20 euros et peut être payé en espèces.",
        ("Le tarif de Ullerby est de vingt euros.", "Le tarif peut être payé en espèces."),
        (
            "Le tarif de Ullerby n'est pas de 20 euros.",
            "Le tarif de Ullerby est de treize euros.",
            "Le tarif de Ullerby est de 20 dollars.",
            "Le tarif de Tarn est de 20 euros.",
            "Le tarif doit être payé en espèces.",
        ),
    ),
    "es": (
        "La tarifa de Ullerby es de 20 euros y puede pagarse en efectivo.",
        ("La tarifa de Ullerby es de veinte euros.", "La tarifa puede pagarse en efectivo."),
        (
            "La tarifa de Ullerby no es de 20 euros.",
            "La tarifa de Ullerby es de trece euros.",
            "La tarifa de Ullerby es de veintiún euros.",
            "La tarifa de Ullerby es de 20 dólares.",
            "La tarifa de Tarn es de 20 euros.",
            "La tarifa debe pagarse en efectivo.",
        ),
    ),
    "it": (
        "La tariffa di Ullerby è di 20 euro e può essere pagata in contanti.",
        ("La tariffa di Ullerby è di venti euro.", "La tariffa può essere pagata in contanti."),
        (
            "La tariffa di Ullerby non è di 20 euro.",
            "La tariffa di Ullerby è di tredici euro.",
            "La tariffa di Ullerby è di ventitré euro.",
            "La tariffa di Ullerby è di 20 dollari.",
            "La tariffa di Tarn è di 20 euro.",
            "La tariffa deve essere pagata in contanti.",
        ),
    ),
    "pt": (
        "A tarifa de Ullerby é de 20 euros e pode ser paga em dinheiro.",
        ("A tarifa de Ullerby é de vinte euros.", "A tarifa pode ser paga em dinheiro."),
        (
            "A tarifa de Ullerby não é de 20 euros.",
            "A tarifa de Ullerby é de treze euros.",
            "A tarifa de Ullerby é de 20 dólares.",
            "A tarifa de Tarn é de 20 euros.",
            "A tarifa deve ser paga em dinheiro.",
        ),
    ),
    "nl": (
        "Het tarief in Ullerby is 20 euro en kan contant betaald worden.",
        ("Het tarief in Ullerby is twintig euro.", "Het tarief kan contant betaald worden."),
        (
            "Het tarief in Ullerby is niet 20 euro.",
            "Het tarief in Ullerby is dertien euro.",
            "Het tarief in Ullerby is eenentwintig euro.",
            "Het tarief in Ullerby is 20 dollar.",
            "Het tarief in Tarn is 20 euro.",
            "Het tarief moet contant betaald worden.",
        ),
    ),
    "pl": (
        "Opłata w Ullerby wynosi 20 euro i może być zapłacona gotówką.",
        ("Opłata w Ullerby wynosi dwadzieścia euro.", "Opłata może być zapłacona gotówką."),
        (
            "Opłata w Ullerby nie wynosi 20 euro.",
            "Opłata w Ullerby wynosi trzynaście euro.",
            "Opłata w Ullerby wynosi 20 dolarów.",
            "Opłata w Tarn wynosi 20 euro.",
            "Opłata musi być zapłacona gotówką.",
        ),
    ),
    "ru": (
        "Плата в Москве составляет 20 евро и может быть внесена наличными.",
        ("Плата в Москве составляет двадцать евро.", "Плата может быть внесена наличными."),
        (
            "Плата в Москве не составляет 20 евро.",
            "Плата в Москве составляет тринадцать евро.",
            "Плата в Москве составляет 20 рублей.",
            "Плата в Киеве составляет 20 евро.",
            "Плата должна быть внесена наличными.",
        ),
    ),
    "ar": (
        "الرسوم في المدينة 20 يورو ويمكن دفعها نقدا",
        ("الرسوم في المدينة 20 يورو", "الرسوم في المدينة ٢٠ يورو"),
        (
            "الرسوم في المدينة ليست 20 يورو",
            "الرسوم في المدينة 13 يورو",
            "الرسوم في المدينة 20 دولار",
            "الرسوم في القرية 20 يورو",
        ),
    ),
    "zh": (
        "北京的费用为20欧元，可以用现金支付。",
        ("北京的费用为20欧元。", "北京的费用为二十欧元。", "费用可以用现金支付。"),
        (
            "北京的费用不为20欧元。",
            "北京的费用为13欧元。",
            "北京的费用为十三欧元。",
            "北京的费用为20美元。",
            "上海的费用为20欧元。",
            "费用必用现金支付。",
        ),
    ),
    "ja": (
        "東京の料金は20ユーロで、現金で支払えます。",
        ("東京の料金は20ユーロで。", "東京の料金は二十ユーロです。"),
        (
            "東京の料金は20ユーロではありません。",
            "東京の料金は13ユーロです。",
            "東京の料金は十三ユーロです。",
            "東京の料金は20ドルです。",
            "大阪の料金は20ユーロです。",
        ),
    ),
}


@pytest.mark.parametrize(
    ("span", "claim"), [(span, one) for span, said, _ in LANGUAGES.values() for one in said]
)
def test_what_a_span_says_is_grounded_in_each_language(span: str, claim: str) -> None:
    """A number in words is the number."""
    assert is_grounded(claim, [span], about="")


@pytest.mark.parametrize(
    ("span", "claim"), [(span, one) for span, _, other in LANGUAGES.values() for one in other]
)
def test_what_a_span_does_not_say_is_grounded_in_none(span: str, claim: str) -> None:
    assert not is_grounded(claim, [span], about="")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("二十三", "23"),
        ("二〇二四", "2024"),
        ("三百五", "305"),
        ("十", "10"),
        ("两万三千", "23000"),
    ],
)
def test_ideographs_are_numbers(text: str, value: str) -> None:
    assert value in numbers(f"共{text}人")


def test_numbers_without_end_are_read() -> None:
    """A page may hold any number of digits."""
    assert is_grounded(f"共{'九' * 5000}人", [f"共{'九' * 5000}人"], about="")
