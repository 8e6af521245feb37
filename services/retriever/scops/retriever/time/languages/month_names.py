"""Names of months by language, in lower case, each with its number.

Source: CLDR, with the cases that prepositions ask for; written by tools/month_names.py.
"""

MONTHS = {
    "de": (
        "jan=1 januar=1 feb=2 februar=2 mär=3 märz=3 apr=4 april=4 mai=5 jun=6 juni=6 jul=7 juli=7 "
        "aug=8 august=8 sep=9 sept=9 september=9 okt=10 oktober=10 nov=11 november=11 dez=12 "
        "dezember=12 "
    ),
    "fr": (
        "janv=1 janvier=1 févr=2 février=2 mars=3 avr=4 avril=4 mai=5 juin=6 juil=7 juillet=7 "
        "août=8 sept=9 septembre=9 oct=10 octobre=10 nov=11 novembre=11 déc=12 décembre=12 "
    ),
    "es": (
        "ene=1 enero=1 feb=2 febrero=2 mar=3 marzo=3 abr=4 abril=4 may=5 mayo=5 jun=6 junio=6 "
        "jul=7 julio=7 ago=8 agosto=8 sept=9 septiembre=9 oct=10 octubre=10 nov=11 noviembre=11 "
        "dic=12 diciembre=12 "
    ),
    "it": (
        "gen=1 gennaio=1 feb=2 febbraio=2 mar=3 marzo=3 apr=4 aprile=4 mag=5 maggio=5 giu=6 "
        "giugno=6 lug=7 luglio=7 ago=8 agosto=8 set=9 settembre=9 ott=10 ottobre=10 nov=11 "
        "novembre=11 dic=12 dicembre=12 "
    ),
    "pt": (
        "jan=1 janeiro=1 fev=2 fevereiro=2 mar=3 março=3 abr=4 abril=4 mai=5 maio=5 jun=6 junho=6 "
        "jul=7 julho=7 ago=8 agosto=8 set=9 setembro=9 out=10 outubro=10 nov=11 novembro=11 dez=12 "
        "dezembro=12 "
    ),
    "nl": (
        "jan=1 januari=1 feb=2 februari=2 maart=3 mrt=3 apr=4 april=4 mei=5 jun=6 juni=6 jul=7 "
        "juli=7 aug=8 augustus=8 sep=9 september=9 okt=10 oktober=10 nov=11 november=11 dec=12 "
        "december=12 "
    ),
    "pl": (
        "sty=1 styczeń=1 stycznia=1 styczniu=1 lut=2 lutego=2 luty=2 lutym=2 mar=3 marca=3 marcu=3 "
        "marzec=3 kwi=4 kwiecień=4 kwietnia=4 kwietniu=4 maj=5 maja=5 maju=5 cze=6 czerwca=6 "
        "czerwcu=6 czerwiec=6 lip=7 lipca=7 lipcu=7 lipiec=7 sie=8 sierpień=8 sierpnia=8 "
        "sierpniu=8 wrz=9 wrzesień=9 września=9 wrześniu=9 paź=10 październik=10 października=10 "
        "październiku=10 lis=11 listopad=11 listopada=11 listopadu=11 listopadzie=11 gru=12 "
        "grudnia=12 grudniu=12 grudzień=12 "
    ),
    "ru": (
        "янв=1 январе=1 январь=1 январю=1 января=1 февр=2 феврале=2 февраль=2 февралю=2 февраля=2 "
        "мар=3 март=3 марта=3 марте=3 марту=3 апр=4 апреле=4 апрель=4 апрелю=4 апреля=4 мае=5 "
        "май=5 маю=5 мая=5 июн=6 июне=6 июнь=6 июню=6 июня=6 июл=7 июле=7 июль=7 июлю=7 июля=7 "
        "авг=8 август=8 августа=8 августе=8 августу=8 сент=9 сентябре=9 сентябрь=9 сентябрю=9 "
        "сентября=9 окт=10 октябре=10 октябрь=10 октябрю=10 октября=10 нояб=11 ноябре=11 ноябрь=11 "
        "ноябрю=11 ноября=11 дек=12 декабре=12 декабрь=12 декабрю=12 декабря=12 "
    ),
}
