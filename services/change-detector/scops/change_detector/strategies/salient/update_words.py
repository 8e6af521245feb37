"""Words of "last updated on" in some seventy languages, by primary subtag.

Source: catalogs of Sphinx (BSD), Material for MkDocs (MIT) and Wagtail (BSD);
written by tools/update_words.py.
"""

UPDATE_WORDS = {
    "af": "geskep laaste opdatering",
    "ar": "آخر اخر التحرير التعديل النشر تحديث تم خلقت في نشر نشره",
    "az": "son yaradılmışdır yeniləmə",
    "be": "абнаўленне апошняе зменена створана",
    "bg": "последна промяна публикувано редактирано създаден",
    "bn": "আপডেট করা তৈরি পরিবর্তন শেষ সর্বশেষ হয়েছে হয়েছে",
    "ca": "actualització creada darrera editat el publicació publicada última",
    "cs": (
        "aktualizace aktualizováno dne naposledy poslední publikováno upraveno vytvořeno "
        "zveřejněno "
    ),
    "cy": "ar crëwyd cyhoeddi ddiwethaf diweddariad diweddarwyd olaf wedi yn",
    "da": "opdateret oprettet redigeret sidst sidste ændring",
    "de": "aktualisiert am bearbeitet erstellt letztes update veröffentlicht zuletzt",
    "dv": "އެންމެ އެޑިޓްކޮށްފައި ފަހުން ގދ ޝާއިއުކުރި ޝާއިއުކޮށްފައިވަނީ ޝާއިޢުކޮށްފައިވެއެވެ",
    "el": "δημιουργήθηκε δημοσιεύθηκε διορθωμένη ενημέρωση στισ τελευταία",
    "en": "at created edited last on published update updated",
    "eo": "kreita lasta ĝisdatigo",
    "es": (
        "actualización actualizado creado editado el en por publicación publicada publicado vez "
        "última "
    ),
    "et": "avaldatud loodud redigeeritud uuendatud uuendus viimane viimati",
    "eu": "aldaketa azken data eguneratzea sortze",
    "fa": "آخرین اخرین انتشار ایجاد بروز بروزرسانی تصحیح در رسانی شده قبلی",
    "fi": "julkaistu luotu muokattu päivitys viimeisin viimeksi",
    "fr": "créé dernière e jour le mis mise modifié publication publié publiée à",
    "gl": "actualización creada editado en o por publicada vez última",
    "he": "אחרון ב לאחרונה נוצר עדכון עודכן ערוך",
    "hi": "अंतिम अपडेट आखिरी था बनाया बार सम्पादित",
    "hr": "ažuriranje ažurirano objavljeno posljednje put stvaranje uređeno zadnji",
    "hu": "frissítés ideje közzététel közzétéve létrehozva szerkesztve utolsó",
    "hy": "է թարմացումը ստեղծված վերջին",
    "id": "dibuat diperbarui diubah pada pembaruan telah terakhir",
    "is": "birtingu breytt búið loftið sett síðast til uppfært í",
    "it": "a aggiornamento creata modificato pubblicata pubblicazione ultima ultimo",
    "ja": "作 成 新 日 更 最 終 編 集",
    "ka": "ბოლო განახლება განახლების დრო შეიქმნა",
    "kn": "ಕೊನೆಯ ದಿನಾಂಕ ನವೀಕರಣ ರಚಿಸಿದ",
    "ko": "게시된 게시됨 마지막 마지막으로 수정된 업데이트 에 작성일 최종 출시된",
    "ku": "دروسکت دوایین نوێکردنەوە کرا",
    "lb": "erstallt läscht update",
    "lt": "atnaujinimas paskutinis publikuotas redaguotas sukurta",
    "lv": "atjaunots izmaiņas izveidots labots pēdējas pēdējoreiz",
    "mi": "kua whakarerekē",
    "mk": "ажурирање последно создаден",
    "mn": "засагдсан сүүлийн шинэчлэлт үүсгэсэн",
    "ms": "asal dicipta dikemas fil kini tarikh",
    "my": "က် ခဲ့ င် စွဲ ဆ ဆုံး ည့် တီး နော န် ပြ ဖ မှု ရ သ",
    "nb": "oppdatert opprettet redigert sist",
    "ne": "अगाडी अपडेट भएको भन्दा मा यो",
    "nl": "aanpassing gecreëerd gepubliceerd gewijzigd geüpdatet het laatst laatste op voor",
    "nn": "oppdatert oppretta sist",
    "pl": (
        "aktualizacja edytowane modyfikacja opublikowana opublikowane opublikowano ostatnia "
        "ostatnio utworzony "
    ),
    "pt": (
        "a actualização alterada alterado atualização criada criado editado em pela publicada "
        "publicado publicação vez última "
    ),
    "ro": "actualizare creată dată editat la publicată ultima",
    "ru": (
        "дата на обновление обновлено опубликовано последнее последняя публикация редактировано "
        "создания "
    ),
    "sa": "तिथिः ननिर्माणस्य परिवर्तनस्य",
    "sh": "ažurirano kreirano",
    "si": "ويو ٺاھيو අවසන් යාවත්කාලීන වීම",
    "sk": "aktualizované aktualizácia naposledy posledná upravené vytvorené",
    "sl": "nazadnje ob objavljeno posodobitev posodobljeno urejeno ustvarjeno zadnja zadnjič",
    "sq": "fundi fundit i krijimi më përditësimi përditësuar së",
    "sr": "ажурирано креирано",
    "sv": "den publicerad redigerad senast skapad uppdaterad vid",
    "ta": "உருவாக்கப்பட்டது கடைசி புதுப்பிப்பு",
    "te": "చివరి నవీకరణ సృష్టించబడింది",
    "tet": "hadia ikus ona publika tiha",
    "th": "ก ก้ ข ง ด ถู บ ผ พ ย รี ร่ ร้ ล่ ล้ ว ส สุ อ า เ แ ไ",
    "tl": "huling nagawa update",
    "tr": "düzenlendi güncelleme oluşturuldu son",
    "ug": "ئاخىرقى تارقىتىلغان تەھرىرلەنگەن يوللانغان ۋاقىت",
    "uk": "востаннє відредаговано оновлено опубліковано створено",
    "ur": "آخری بار تجدید تخلیق",
    "uz": "oxirgi yangilanish yaratildi",
    "vi": "bản cuối cập lần mới nhất nhật tạo vào xuất đã",
    "zh": "于 佈 创 发 后 已 布 建 後 新 於 日 更 最 期 發 立 編 编 輯 辑",
}
