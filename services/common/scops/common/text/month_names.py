"""Names of months that stand beside a full stop in dates, in lower case.

Source: CLDR, of cs da de et fi fo gsw hr is lb lv nb nds nn sk sl,
whose days have one, and of all; written by tools/month_names.py.
"""

# Whole names, in every case that dates have.
WHOLE = (
    "abrëll april aprill apríl apríla aprīlis auguscht august augusta augusts avgust březen března "
    "december decembra decembris desember detsember dezember dezämber duben dubna elokuu elokuuta "
    "februaar februar február februára februāris febrúar heinäkuu heinäkuuta helmikuu helmikuuta "
    "huhtikuu huhtikuuta jaanuar januaar januar január januára janvāris janúar joulukuu joulukuuta "
    "juli julij juni junij juuli juuni júl júla júlí jún júna júní jūlijs jūnijs kesäkuu kesäkuuta "
    "kolovoz kolovoza květen května leden ledna lipanj lipnja listopad listopada listopadu lokakuu "
    "lokakuuta maaliskuu maaliskuuta mai maijs maj marca marec marraskuu marraskuuta mars marts "
    "maí mee máj mája mäerz märts märz november novembra novembris novämber nóvember oktober "
    "oktobris oktoober oktover október októbra ožujak ožujka prosinac prosinca prosince prosinec "
    "rujan rujna september septembra septembris septämber siječanj siječnja srpanj srpen srpna "
    "srpnja studeni studenoga svibanj svibnja syyskuu syyskuuta tammikuu tammikuuta toukokuu "
    "toukokuuta travanj travnja veebruar veljača veljače září ágúst únor února červen července "
    "červenec června říjen října "
)
# Abbreviations that are no whole name, without their full stop.
SHORT = (
    "abr apr aug avg bře dec des dets dez dub elo feb febr heinä helmi huhti jaan jan janv joulu "
    "jul jun jūl jūn kesä kol kvě led lip lis loka maalis mar marras mäe mär nov nóv okt ožu pro "
    "ruj sep sept sij srp stu svi syys tammi touko tra veebr velj zář ágú úno čvc čvn říj "
)
# Abbreviations that any language writes with a full stop, without it.
DOTTED = (
    "abe abr abu ag ago aos api apr arv aug avg avi avr awg aza bal birž chi chl chn cʼhwe dec des "
    "dex dez dic déc ebr eka fan favr feb febr fer fev fre fäb févr gas geg gen ghj ghju gic goue "
    "gruod gwen ian ira iul iun jan janv juil jul jun júl jún jūl jūn kam kan kek kep kov kzu "
    "lapkr liep lug mag mai maj mal mar mat may maz mej meur mezh mrt mut máj márc mäe mäz měr nov "
    "now nuv nya nze nóv oct okt ots ott ouj out pep rugp rugs saus schan sep sept set sett sit "
    "spal szept säp ugu uku ukw urr urt uzt vas wer xan xul zen zercl zug ágú ápr ʻap ʻau ʻok авг "
    "апр ақп бер вер груд гыйн дек жел жовт июл июн квіт кӑр лип лист лют мам мар март мау нар нау "
    "ное ноя нояб окт раш сен сент сеп серп січ сәу там трав фев февр черв шіл янв јан јул јун қаз "
    "қар қаң қыр ҫур ҫӗр अग जन नव फर ஆக ஜன நவ "
)
