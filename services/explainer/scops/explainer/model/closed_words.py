"""Words of closed classes that turn a claim round, by language, and numbers that are spelt out.

Taken from grammars of English, German, French, Spanish, Italian, Portuguese, Dutch, Polish,
Russian, Arabic, Chinese and Japanese; of the last two single characters, as `words` cuts them.
Numbers are as num2words spells them, without words that more often mean something else ("once",
"due", "cent").
"""

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS = (
    _words(
        "no not never none nobody nothing neither nor without cannot can't don't doesn't didn't "
        "isn't aren't wasn't weren't won't shouldn't mustn't hasn't haven't hadn't wouldn't "
        "couldn't except unless"
    ),
    _words("nicht kein keine keinen keinem keiner keines nichts niemand nie niemals ohne weder"),
    _words("ne pas jamais sans aucun aucune rien ni personne nul nulle"),
    _words("no nunca jamás sin ningún ninguno ninguna nada nadie ni tampoco"),
    _words("non mai senza nessun nessuno nessuna niente nulla né neanche"),
    _words("não nunca jamais sem nenhum nenhuma nada ninguém nem"),
    _words("niet geen nooit zonder niets niemand noch"),
    _words("nie nigdy bez żaden żadna żadne nic nikt ani"),
    _words("не нет ни никогда без нельзя никто ничего никакой никакая никакие"),
    _words("لا لم لن ليس ليست ليسوا غير بدون دون"),
    _words("不 没 沒 無 无 非 未 勿 莫 别 別 否"),
    _words("ず ぬ 無 非 不 未"),
)
"""By language; a word of two languages is in both."""

NEGATIVE_ENDINGS = ("ない", "なかった", "ません", "なく", "なし")
"""Japanese verbs say it by their ending."""

OBLIGATIONS = _words(
    "must shall required mandatory prohibited forbidden muss müssen verboten doit doivent interdit "
    "obligatoire debe deben prohibido obligatorio deve devono vietato obbligatorio devem proibido "
    "obrigatório moet moeten verboden verplicht musi muszą zabronione должен должна должны обязан "
    "обязана обязаны запрещено يجب 必 須 须 禁"
)
OPTIONS = _words(
    "may might optional optionally could kann können darf dürfen peut peuvent puede pueden può "
    "possono pode podem mag kan kunnen może mogą może można может могут можно يمكن يجوز 可 能"
)

SPELT: Mapping[str, str] = {
    word: value
    for value, forms in (
        ("0", "zero null cero ноль صفر 零"),
        ("1", "one"),
        ("2", "two zwei deux dos dois duas twee dwa dwie два две اثنان"),
        ("3", "three drei trois tres tre três drie trzy три ثلاثة"),
        ("4", "four vier quatre cuatro quattro quatro cztery четыре أربعة"),
        ("5", "five fünf cinq cinco cinque vijf pięć пять خمسة"),
        ("6", "six sechs seis sei zes sześć шесть ستة"),
        ("7", "seven sieben sept siete sette sete zeven siedem семь سبعة"),
        ("8", "eight acht huit ocho otto oito osiem восемь ثمانية"),
        ("9", "nine neun neuf nueve nove negen dziewięć девять تسعة"),
        ("10", "ten zehn dix diez dieci dez tien dziesięć десять عشرة"),
        ("11", "eleven elf onze undici jedenaście одиннадцать"),
        ("12", "twelve zwölf douze doce dodici doze twaalf dwanaście двенадцать"),
        ("13", "thirteen dreizehn treize trece tredici treze dertien trzynaście тринадцать"),
        ("14", "fourteen vierzehn quatorze catorce quattordici veertien czternaście четырнадцать"),
        ("15", "fifteen fünfzehn quinze quince quindici vijftien piętnaście пятнадцать"),
        ("16", "sixteen sechzehn seize dieciséis sedici dezasseis zestien szesnaście шестнадцать"),
        ("17", "seventeen siebzehn diecisiete diciassette zeventien siedemnaście семнадцать"),
        ("18", "eighteen achtzehn dieciocho diciotto dezoito achttien osiemnaście восемнадцать"),
        ("19", "nineteen neunzehn diecinueve diciannove negentien dziewiętnaście девятнадцать"),
        ("20", "twenty zwanzig vingt veinte venti vinte twintig dwadzieścia двадцать عشرون"),
        ("30", "thirty dreißig trente treinta trenta trinta dertig trzydzieści тридцать ثلاثون"),
        (
            "40",
            "forty vierzig quarante cuarenta quaranta quarenta veertig czterdzieści сорок أربعون",
        ),
        ("50", "fifty fünfzig cinquante cincuenta cinquanta cinquenta vijftig пятьдесят خمسون"),
        ("60", "sixty sechzig soixante sesenta sessanta sessenta zestig шестьдесят ستون"),
        ("70", "seventy siebzig setenta settanta zeventig siedemdziesiąt семьдесят سبعون"),
        ("80", "eighty achtzig ochenta ottanta oitenta tachtig osiemdziesiąt восемьдесят ثمانون"),
        ("90", "ninety neunzig noventa novanta negentig dziewięćdziesiąt девяносто تسعون"),
        ("100", "hundred hundert cien cento cem honderd sto сто مائة"),
        ("1000", "thousand tausend mille mil duizend tysiąc тысяча ألف"),
    )
    for word in forms.split()
}
