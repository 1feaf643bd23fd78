"""What are languages called? Pages are counted by codes, which few people know by heart."""

from __future__ import annotations

_NAMES = (
    "af Afrikaans, am Amharic, an Aragonese, ar Arabic, as Assamese, ast Asturian, av Avaric, az Azerbaijani, ba "
    "Bashkir, bar Bavarian, bcl Bikol, be Belarusian, bg Bulgarian, bh Bihari, bn Bengali, bo Tibetan, bpy "
    "Bishnupriya Manipuri, br Breton, bs Bosnian, bxr Buryat, ca Catalan, cbk Chavacano, ce Chechen, ceb Cebuano, "
    "ckb Central Kurdish, co Corsican, cs Czech, cv Chuvash, cy Welsh, da Danish, de German, diq Zazaki, dsb Lower "
    "Sorbian, dty Dotyali, dv Divehi, dz Dzongkha, el Greek, eml Emilian, en English, eo Esperanto, es Spanish, et "
    "Estonian, eu Basque, fa Persian, fi Finnish, fo Faroese, fr French, frr Northern Frisian, fy Frisian, ga "
    "Irish, gd Scottish Gaelic, gl Galician, gn Guarani, gom Goan Konkani, gsw Swiss German, gu Gujarati, gv Manx, "
    "he Hebrew, hi Hindi, hif Fiji Hindi, hr Croatian, hsb Upper Sorbian, ht Haitian Creole, hu Hungarian, hy "
    "Armenian, ia Interlingua, id Indonesian, ie Interlingue, ilo Ilocano, io Ido, is Icelandic, it Italian, ja "
    "Japanese, jbo Lojban, jv Javanese, ka Georgian, kk Kazakh, km Khmer, kn Kannada, ko Korean, krc "
    "Karachay-Balkar, ku Kurdish, kv Komi, kw Cornish, ky Kyrgyz, la Latin, lb Luxembourgish, lez Lezgian, li "
    "Limburgish, lmo Lombard, lo Lao, lrc Northern Luri, lt Lithuanian, lv Latvian, mai Maithili, mg Malagasy, mhr "
    "Eastern Mari, min Minangkabau, mk Macedonian, ml Malayalam, mn Mongolian, mr Marathi, mrj Western Mari, ms "
    "Malay, mt Maltese, mwl Mirandese, my Burmese, myv Erzya, mzn Mazanderani, nah Nahuatl, nap Neapolitan, nds Low "
    "German, ne Nepali, new Newari, nl Dutch, nn Norwegian Nynorsk, no Norwegian, oc Occitan, or Odia, os Ossetic, "
    "pa Punjabi, pam Pampanga, pfl Palatine German, pl Polish, pms Piedmontese, pnb Western Punjabi, ps Pashto, pt "
    "Portuguese, qu Quechua, rm Romansh, ro Romanian, ru Russian, rue Rusyn, rw Kinyarwanda, sa Sanskrit, sah "
    "Yakut, sc Sardinian, scn Sicilian, sco Scots, sd Sindhi, se Northern Sami, sh Serbo-Croatian, si Sinhala, sk "
    "Slovak, sl Slovenian, so Somali, sq Albanian, sr Serbian, su Sundanese, sv Swedish, sw Swahili, ta Tamil, te "
    "Telugu, tg Tajik, th Thai, tk Turkmen, tl Tagalog, tr Turkish, tt Tatar, tyv Tuvinian, ug Uyghur, uk "
    "Ukrainian, ur Urdu, uz Uzbek, vec Venetian, vep Veps, vi Vietnamese, vls West Flemish, vo Volapük, wa Walloon, "
    "war Waray, xal Kalmyk, xh Xhosa, xmf Mingrelian, yi Yiddish, yo Yoruba, zh Chinese, zu Zulu"
)
"""In English, by each code that `convert.language` tells."""
NAMES = dict(each.split(" ", 1) for each in _NAMES.split(", "))


def named(code: str) -> str:
    """German (de)"""
    return f"{NAMES[code]} ({code})" if code in NAMES else code
