"""Names of months of languages that write days with a full stop, in lower case.

Source: CLDR, of cs da de et fi fo gsw hr is lb lv nb nds nn sk sl; written by tools/month_names.py.
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
