"""Closed classes of words: those that turn a sentence round, and those that only join it.

Taken from grammars (English, German, French, Spanish, Italian, Portuguese, Dutch; signs of
Chinese and Japanese), not from any collection of edits. A word in none of the classes is a
content word: it needs no entry here to count.
"""


def words(text: str) -> frozenset[str]:
    """Returns the words of a line, as a set."""
    return frozenset(text.split())


NEGATIONS = words(
    "no not nor never none nobody nothing nowhere neither without except excluding unless "
    "hardly barely scarcely lest nicht kein keine keinen keinem keiner keines nie niemals ohne "
    "weder außer pas jamais sans aucun aucune rien ni sauf nunca jamás sin ningún ninguno "
    "ninguna nada excepto salvo non mai senza nessun nessuno nessuna né tranne não sem nenhum "
    "nenhuma exceto niet geen nooit zonder noch 不 没 沒 無 无 非 未 勿 莫 否 ず"
)
QUANTIFIERS = words(
    "all any each every both either some several many much few little most half only "
    "solely exclusively merely just least lot always often usually sometimes rarely "
    "seldom ever entire whole partly fully alle jeder jede jedes einige manche viele wenige nur "
    "immer oft selten tous toute toutes chaque certains plusieurs beaucoup peu seulement "
    "toujours souvent todos todas cada algunos algunas muchos pocos solo sólo siempre tutti "
    "tutte ogni alcuni molti pochi sempre apenas alleen altijd 全 每 各 只 都 仅"
)
MODALITIES = words(
    "can could may might must shall should will would ought need needs needed required "
    "requires require requirement mandatory obligatory compulsory optional optionally recommended "
    "recommend recommends prohibited prohibit prohibits forbidden forbid permitted permit permits "
    "allowed allow allows entitled deprecated supported unsupported possible impossible "
    "possibly probably certainly kann können könnte darf dürfen muss müssen soll sollen sollte "
    "wird werden peut peuvent doit doivent devrait puede pueden debe deben debería può possono "
    "deve devono dovrebbe pode podem devem mag moet moeten kan kunnen zal 必 须 應 应 可 能 得"
)
COMPARATORS = words(
    "more less fewer greater larger smaller higher lower longer shorter earlier later sooner "
    "older newer better worse before after until since within beyond above below over under "
    "between during up down maximum minimum max min exactly approximately about almost nearly "
    "than exceeds exceed exceeding least most until till prior following previous next first last "
    "mehr weniger vor nach seit über unter plus moins avant après depuis antes después desde "
    "prima dopo depois meer minder na 多 少 前 后 後 上 下"
)
NUMBER_WORDS = {
    word: str(value)
    for value, forms in (
        (0, "zero null cero"),
        (1, "one"),
        (2, "two twice zwei deux dos due dois twee double"),
        (3, "three thrice drei trois tres tre três drie triple"),
        (4, "four vier quatre cuatro quattro quatro"),
        (5, "five fünf cinq cinco cinque vijf"),
        (6, "six sechs seis sei zes"),
        (7, "seven sieben sept siete sette sete zeven"),
        (8, "eight acht huit ocho otto oito"),
        (9, "nine neun neuf nueve nove negen"),
        (10, "ten zehn dix diez dieci dez tien"),
        (11, "eleven elf onze once undici"),
        (12, "twelve zwölf douze doce dodici twaalf dozen"),
        (13, "thirteen dreizehn treize trece"),
        (14, "fourteen vierzehn quatorze catorce"),
        (15, "fifteen fünfzehn quinze quince"),
        (16, "sixteen sechzehn seize"),
        (17, "seventeen siebzehn"),
        (18, "eighteen achtzehn"),
        (19, "nineteen neunzehn"),
        (20, "twenty zwanzig vingt veinte venti vinte twintig"),
        (30, "thirty dreißig dreissig trente treinta trenta trinta dertig"),
        (40, "forty vierzig quarante cuarenta"),
        (50, "fifty fünfzig cinquante cincuenta"),
        (60, "sixty sechzig soixante sesenta"),
        (70, "seventy siebzig setenta"),
        (80, "eighty achtzig ochenta"),
        (90, "ninety neunzig noventa"),
        (100, "hundred hundert cent cien cento honderd"),
        (1000, "thousand tausend mille mil duizend"),
        (10**6, "million millionen millions millón milioni milhão miljoen"),
        (10**9, "billion milliarde milliarden milliard miljard"),
    )
    for word in forms.split()
}
ORDINALS = words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth "
    "thirtieth half quarter quarterly annual annually monthly weekly daily hourly yearly biweekly"
)
# Beside the names of months and days, the units and the currencies of CLDR (`notation`).
DATE_WORDS = words(
    "spring summer autumn winter today tomorrow yesterday am pm utc gmt cet est edt pst pdt cest "
    "bst morning noon midnight evening 年 月 日 时 時 分"
)
UNITS = words(
    "fortnight quarter quarters business calendar working times fold items pages users people "
    "persons jaar cent cents sterling pence penny"
)
PERSONS = {
    form: person
    for person, forms in enumerate(
        (
            "i me my mine myself we us our ours ourselves",
            "you your yours yourself yourselves",
            "he him his himself",
            "she her hers herself",
            "they them their theirs themselves",
        )
    )
    for form in forms.split()
}
# Words that join; what they add to a sentence is said by the words around them.
FUNCTION_WORDS = words(
    "a an the this that these those it its itself who whom whose which what there here "
    "is are was were be been being am do does did done doing has have had having will would "
    "of to in on at by for from with as into onto upon via per through throughout across along "
    "around among amongst against towards toward out off so such also too very quite rather "
    "really simply actually basically generally currently please etc and or if but then else "
    "than when where while whether because although though however therefore thus hence "
    "moreover furthermore additionally accordingly instead otherwise meanwhile indeed again "
    "already still yet well same own other another else i me my mine myself we us our ours you "
    "your yours he him his she her hers they them their theirs one ones about just "
    "der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren "
    "sein hat haben zu zum zur im am von vom mit bei auf aus für als wie auch sich es er sie wir "
    "ihr le la les l un une du de des et ou est sont à au aux en dans pour par sur avec ce cette "
    "ces que qui se il elle ils elles nous vous el los las una unos unas y o es son por para con "
    "su sus lo del al lo gli i uno e di da che per con del della dei delle è sono nel nella si o "
    "os as um uma do da dos das no na em com ao het een van en dat deze dit zijn "
    "的 了 和 与 與 在 是 也 は が を に の と で も へ や"
)
