"""The words by which languages say when something was: data, one entry a language.

Phrases stand between commas, in lower case, as `tokens` cuts a text: signs are words of their own.
The relations are named by English words, those that `scops.retriever.time.constraint` reads.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWords:
    """What a language says beside a number or a month.

    Attributes:
        relations: phrases in front of a time, by the English word for them. `to` and `and` join two
            times; `no` stands in front of what is no time, as "more than".
        past: phrases that mean "before" in front of a past year, and "for" in front of another.
        articles: what may stand between those phrases and a time.
        of: what may stand between day, month and year.
        day_endings: what is written after the number of a day.
        year_before, year_after: nouns and marks that make a number a year.
        decade_before, decade_after: those that make it a decade.
        century: nouns of a century; century_endings: of the number in front of them.
        early, late: phrases that name the first or the last third of a time.
        before_christ: phrases after a year that is none of ours.
        function: words of a closed class: they tell the language, and no number counts them.
        verbs: those of them beside which a bare number is a year, as beside any other verb; empty
            where a preposition says it.
        nouns_have_capitals: a word with a capital letter is no name, and one without no noun.
        plural_endings: the last letters of nouns that are counted, after prepositions of time;
            empty where they tell nothing, and any noun may be one.
        units: nouns that are counted without such an ending.
    """

    relations: Mapping[str, str]
    past: str = ""
    articles: str = ""
    of: str = ""
    day_endings: str = ""
    year_before: str = ""
    year_after: str = ""
    decade_before: str = ""
    decade_after: str = ""
    century: str
    century_endings: str = ""
    early: str = ""
    late: str = ""
    before_christ: str = ""
    function: str
    verbs: str = ""
    nouns_have_capitals: bool = False
    plural_endings: str = ""
    units: str = ""


WORDS: Mapping[str, TimeWords] = {
    "de": TimeWords(
        relations={
            "in": "in, im, am, an, anno, während, in den, zur, zum",
            "before": "vor, vorm, früher als, eher als",
            "until": "bis, bis zu, bis zum, bis in, bis ins, bis ende",
            "after": "nach, ab, später als",
            "since": "seit, beginnend mit",
            "as of": "per, stand, mit stand, mit stand vom",
            "by": "spätestens, bis spätestens",
            "between": "zwischen",
            "from": "von, vom",
            "of": "aus, von, vom",
            "around": "um, gegen, circa, ca, ca.",
            "to": "bis, bis zu, bis zum, bis ins",
            "and": "und, sowie",
            "no": "über, unter, rund, etwa, fast, nur, als, knapp, ungefähr, mindestens, "
            "höchstens, mit, für, pro, je, zu",
        },
        articles="dem, den, der, das, die, des, monat, monats",
        day_endings=".",
        year_before="jahr, jahre, jahren, jahres, jahrgang, jahrgangs, saison",
        year_after="n. chr., n.chr., u. z.",
        decade_after="er, ern, er jahre, er jahren, er - jahre, er - jahren, er jahrzehnt",
        century="jahrhundert, jahrhunderts, jh, jhd, jhdt",
        century_endings=".",
        early="anfang, beginn, zu beginn, zu anfang",
        late="ende",
        before_christ="v. chr, v. u, vor christus, vor chr",
        function="""
            wer wen wem wessen was wo wohin woher wann warum weshalb wieso wie welche welcher
            welches welchem welchen wieviele viele der die das dem den des ein eine einer eines
            einem einen
            und oder aber nicht kein keine im am zum zur vom beim in an auf aus bei bis durch für
            gegen mit nach ohne seit um unter von vor zu zwischen über während war waren wurde
            wurden wird werden ist sind hat hatte haben hatten gab gibt sich es er sie ihr sein
            seine seinen seiner seinem ihre ihren ihrer man dass als auch noch bereits schon erst
            dort da
            so denn zufolge
        """,
        verbs="""
            war waren wurde wurden hat hatte haben hatten gab sich es er sie man noch bereits schon
            erst dort da
        """,
        nouns_have_capitals=True,
        plural_endings="n, s",
        units="""
            euro cent dollar franken pfund mark meter kilometer zentimeter millimeter quadratmeter
            kubikmeter hektar liter gramm kilo kilogramm prozent promille grad watt kilowatt volt
            ampere hertz byte kilobyte megabyte gigabyte stück mal mann uhr kalorien joule
        """,
    ),
    "fr": TimeWords(
        relations={
            "in": "en, pendant, durant, dans, courant, lors de, au cours de, au cours d', au, aux",
            "before": "avant, antérieur à, antérieure à, antérieurs à, antérieures à, "
            "antérieurement à",
            "until": "jusque, jusqu'à, jusqu'au, jusqu'en, jusqu'aux",
            "after": "après, postérieur à, postérieure à, postérieurs à, ultérieur à, à partir de, "
            "à partir d', à partir du, à compter de, à compter du",
            "since": "depuis, dès",
            "by": "d'ici, d'ici à, au plus tard en, au plus tard le",
            "as of": "en date de, en date du, à la date du",
            "between": "entre",
            "from": "du, de",
            "of": "de, d', du, des, datant de, daté de",
            "around": "vers, circa, aux environs de, aux alentours de, autour de",
            "to": "à, au, jusqu'à, jusqu'en, jusqu'au",
            "and": "et",
            "no": "plus de, moins de, près de, environ, quelque, pour, avec, que, sur, par",
        },
        articles="l', le, la, les, celle de, mois de, mois d'",
        of="de",
        day_endings="er",
        year_before="an, l'an, année, années, l'année, exercice, saison",
        year_after="apr. j, ap. j, après j",
        decade_before="années, décennie",
        century="siècle, siècles",
        century_endings="e, ème, ième, er",
        early="début, le début, au début, début de, le début de, au début de",
        late="fin, la fin, à la fin, fin de, la fin de, à la fin de",
        before_christ="av. j, av j, avant j, avant notre",
        function="""
            qui que quoi quel quelle quels quelles où quand comment pourquoi combien le la les l un
            une des du de d au aux et ou mais ne n pas à en dans par pour sur sous avec sans entre
            avant après depuis dès jusqu pendant vers est sont était étaient fut furent a ont avait
            avaient été il elle ils elles on se ce cette ces cet son sa ses leur leurs qu y t c
            lequel laquelle
        """,
        plural_endings="s, x",
        units="mille",
    ),
    "es": TimeWords(
        relations={
            "in": "en, en el, durante, durante el",
            "before": "antes de, antes del, anterior a, anterior al, anteriores a, "
            "con anterioridad a, previo a, previos a",
            "until": "hasta",
            "after": "después de, después del, tras, tras el, a partir de, a partir del, posterior "
            "a, posterior al, posteriores a, con posterioridad a",
            "since": "desde, desde el",
            "by": "a más tardar en, a más tardar el",
            "as of": "a fecha de, con fecha de",
            "between": "entre",
            "from": "de, del, desde",
            "of": "de, del",
            "around": "hacia, circa, alrededor de, en torno a",
            "to": "a, al, hasta",
            "and": "y, e",
            "no": "más de, menos de, cerca de, casi, unos, unas, aproximadamente, por, con, para, "
            "que",
        },
        articles="el, la, los, las, mes de",
        of="de, del, del año, de el",
        day_endings="º, o",
        year_before="año, años, año de, temporada, temporada de, ejercicio",
        year_after="d. c",
        decade_before="años, década de, década de los, década del, década de los años, decenio de",
        century="siglo, siglos",
        early="principios de, a principios de, comienzos de, a comienzos de, inicios de, "
        "a inicios de, a principios del, inicio de",
        late="finales de, a finales de, fines de, a fines de, fin de, final de, a finales del",
        before_christ="a. c, a . c, antes de c, ac",
        function="""
            quién quiénes qué cuál cuáles dónde cuándo cómo cuánto cuánta cuántos cuántas por el la
            los las lo un una unos unas de del al y o pero no en a con sin para sobre entre desde
            hasta antes después durante tras es son era eran fue fueron ha han había habían se su
            sus que este esta estos ese esa le les más
        """,
        plural_endings="s",
        units="mil",
    ),
    "it": TimeWords(
        relations={
            "in": "in, nel, nell', nello, nella, negli, durante, durante il",
            "before": "prima di, prima del, prima dell', antecedente al, antecedenti al, "
            "anteriore al, anteriori al, precedente al, precedenti al",
            "until": "fino a, fino al, fino all', sino a, sino al",
            "after": "dopo, dopo il, dopo l', a partire da, a partire dal, successivo al, "
            "successivi al, posteriore al",
            "since": "da, dal, dall', dagli, sin dal, fin dal, sino dal",
            "by": "entro, entro il",
            "as of": "alla data del, in data",
            "between": "tra, fra",
            "from": "da, dal, dall'",
            "of": "di, del, dell', degli, dello, della",
            "around": "verso, verso il, circa, circa il, intorno al, attorno al",
            "to": "a, al, all', fino al, ad",
            "and": "e, ed",
            "no": "più di, meno di, quasi, oltre, per, con, su, che",
        },
        articles="il, lo, la, l', i, gli, le, mese di",
        of="del, dell'anno, di",
        day_endings="º, °",
        year_before="anno, anni, stagione, esercizio",
        year_after="d. c, dopo cristo",
        decade_before="anni, decennio",
        century="secolo, secoli, sec",
        century_endings="º, °, o",
        early="inizio del, inizio di, inizi del, all'inizio del, agli inizi del, inizio degli, "
        "all'inizio degli",
        late="fine del, fine di, alla fine del, alla fine degli, fine degli",
        before_christ="a. c, avanti cristo",
        function="""
            chi che cosa quale quali qual dove quando come perché quanto quanta quanti quante il lo
            la i gli le l un uno una di del dello della dei degli delle dell al allo alla ai alle
            dal dalla e o ma non in nel nella nei nelle a con per su tra fra da prima dopo durante è
            sono era erano fu furono ha hanno aveva avevano si suo sua suoi sue cui ci venne vennero
        """,
    ),
    "pt": TimeWords(
        relations={
            "in": "em, no, na, nos, durante, durante o, ao longo de",
            "before": "antes de, antes do, anterior a, anterior ao, anteriores a, antes da",
            "until": "até, até o, até ao",
            "after": "depois de, depois do, após, após o, a partir de, a partir do, posterior a, "
            "posteriores a",
            "since": "desde, desde o",
            "by": "o mais tardar em",
            "as of": "à data de, com data de",
            "between": "entre",
            "from": "de, do, desde",
            "of": "de, do, dos, da",
            "around": "por volta de, cerca do ano, circa",
            "to": "a, ao, até",
            "and": "e",
            "no": "mais de, menos de, cerca de, quase, uns, umas, aproximadamente, por, com, para, "
            "que",
        },
        articles="o, a, os, as, mês de",
        of="de, do, do ano de",
        day_endings="º, o",
        year_before="ano, anos, ano de, temporada, temporada de, época de",
        year_after="d. c",
        decade_before="anos, década de, década dos, década dos anos",
        century="século, séculos",
        early="início de, início do, no início de, no início do, princípio de, começo de, "
        "inícios de, início dos",
        late="fim de, fim do, no fim de, final de, finais de, no final de, fins de",
        before_christ="a. c, antes de c",
        function="""
            quem que qual quais onde quando como porque quanto quanta quantos quantas o a os as um
            uma de do da dos das ao aos à às e ou mas não em no na nos nas com sem por para sobre
            entre desde até antes depois após durante é são era eram foi foram tem têm tinha tinham
            se seu sua seus suas pelo pela pelos pelas este esta esse essa isso
        """,
        plural_endings="s",
        units="mil",
    ),
    "nl": TimeWords(
        relations={
            "in": "in, tijdens, gedurende, op, anno, in de",
            "before": "vóór, eerder dan, voorafgaand aan, van vóór",
            "until": "tot, tot aan, tot in, tot en met, tot op",
            "after": "na, vanaf, later dan, ná",
            "since": "sinds, sedert",
            "by": "uiterlijk, uiterlijk in",
            "as of": "per",
            "between": "tussen",
            "from": "van, vanaf",
            "of": "van, uit",
            "around": "rond, omstreeks, circa, ca.",
            "to": "tot, tot en met, t/m, tot aan",
            "and": "en",
            "no": "meer dan, minder dan, ongeveer, bijna, ruim, slechts, dan, voor, met, over",
        },
        past="voor",
        articles="de, het, maand",
        year_before="jaar, jaren, seizoen, jaargang",
        year_after="n. chr, na chr, na christus",
        decade_before="jaren",
        decade_after="er jaren, s",
        century="eeuw, eeuwen",
        century_endings="e, de, ste",
        early="begin, begin van, het begin van",
        late="eind, einde van, het einde van, eind van, einde",
        before_christ="v. chr, voor chr, voor christus, vóór christus",
        function="""
            wie wat waar wanneer waarom hoe hoeveel welke welk waarin waarmee de het een en of maar
            niet geen in op aan van voor met door uit bij tot na om over onder tussen sinds tijdens
            was waren werd werden wordt worden is zijn heeft had hebben hadden er zich hij zij ze
            haar hun dat die deze dit als ook nog al dan te naar
        """,
        plural_endings="n, s",
        units="""
            euro dollar meter kilometer centimeter millimeter hectare liter gram kilo kilogram
            procent graad watt volt jaar uur stuk man keer pond
        """,
    ),
    "pl": TimeWords(
        relations={
            "in": "w, we, podczas, w trakcie, za, dnia",
            "before": "przed, sprzed, wcześniej niż",
            "until": "do, aż do",
            "after": "po, później niż, począwszy od",
            "since": "od, poczynając od",
            "by": "najpóźniej w, najpóźniej do",
            "as of": "według stanu na, stan na",
            "between": "między, pomiędzy",
            "from": "od, z",
            "of": "z, ze",
            "around": "około, ok., koło",
            "to": "do, po",
            "and": "i, a, oraz",
            "no": "ponad, prawie, niemal, blisko, na, niż, za, o",
        },
        articles="dniu, dnia, miesiącu, okresie, okresie od",
        year_before="rok, roku, rokiem, latach, lata, lat, latami, sezonie",
        year_after="roku, rok, rokiem, r, r., n. e",
        decade_before="lata, latach, lat, latami",
        century="wiek, wieku, wieki, wiekiem, w.",
        early="początek, początku, na początku",
        late="koniec, końca, końcu, pod koniec",
        before_christ="p. n, przed nasz, przed n, r. p, roku p, r. przed, roku przed",
        function="""
            kto kogo komu kim co czego czym gdzie kiedy dlaczego jak ile ilu jaki jaka jakie jaką
            jakiego jakim jakich który która które którą którego której którym czy w we z ze na do
            od po przed przez dla o u i oraz a ale nie się był była było były jest są został została
            zostało zostały został miał miała jego jej ich ten ta to tej tego tym przy za pod nad
            między
        """,
    ),
    "ru": TimeWords(
        relations={
            "in": "в, во, в течение, за, на протяжении, на",
            "before": "до, перед, ранее, раньше, до начала",
            "until": "вплоть до",
            "after": "после, позже, позднее, начиная с, начиная со",
            "since": "с, со",
            "by": "к, ко, не позднее, не позже",
            "as of": "по состоянию на, на состояние",
            "between": "между, в период между",
            "from": "с, со, от, в период с, за период с, в период от",
            "of": "от, из",
            "around": "около, примерно в",
            "to": "по, до",
            "and": "и",
            "no": "более, менее, свыше, почти, чем, по, о, для",
        },
        articles="месяц, месяца, месяце",
        day_endings="- го, го, - е",
        year_before="год, году, года, годом, годы, годах, годов, сезоне, сезон",
        year_after="год, году, года, годом, годы, годах, годов, годам, годами, гг, гг., г, г., "
        "н. э, - м, - м году, - й, - й год, - го, - го года, - му, - му году",
        decade_after="- х, - е, - ых, х, - х годах, - х годов, - х гг, - х гг., - е годы, - е гг, "
        "- е гг., - ых годах, - ых годов, х годах, х годов, - ми годами",
        century="век, века, веке, веков, веком, в., вв., столетие, столетия, столетии",
        century_endings="й, го, м, ом",
        early="начало, начале, начала, в начале",
        late="конец, конце, конца, в конце",
        before_christ="до н, до нашей, г. до н, году до н, года до н, год до н, гг. до н",
        function="""
            кто кого кому кем что чего чем где куда когда почему как сколько какой какая какое какие
            каким какую каких какого каком чей чья в во на с со к от до по из за для о об у и или но
            не был была было были есть его её их это этот эта эти он она они после перед между при
            через под над который которая которые стал стала стали ли же бы том
        """,
    ),
}
