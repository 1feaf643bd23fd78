"""Which words are only grammar? Articles, pronouns, prepositions, forms of to be and to have.

Pages are not about them: where a question has other words, nothing is found by these, and no topic is told by them.
They are known for the languages that most questions are asked in. In others a word that most pages have counts for
little, because it is not rare.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

WORDS = {
    "en": "a about after again all am an and any are as at be because been before being between both but by can "
    "could did do does doing for from had has have having he her here him his how i if in into is it its "
    "itself just me more most must my no nor not of off on once only or other our out over own same she "
    "should so some such than that the their them then there these they this those through to too until up "
    "very was we were what when where which while who whom why will with would you your",
    "de": "aber als am an auch auf aus bei beim bin bis bist da damit das dass dein dem den der des dich die dies "
    "diese diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es für hat hatte ich "
    "ihr ihre im in ist ja kann kein keine man mein mich mir mit nach nicht noch nur ob oder ohne sein seine "
    "sich sie sind so soll über um und uns unter vom von vor war was wenn wer werden wie wir wird wo zu zum "
    "zur",
    "fr": "à au aux avec c ce cela ces cette comme comment d dans de des du elle en est et être eux il ils j je l "
    "la le les leur lui ma mais me mes moi mon n ne nos notre nous on ou où par pas plus pour qu que quel "
    "quelle qui s sa sans se ses si son sont sur ta te tes toi ton tu un une vos votre vous y",
    "es": "a al algo ante como con cómo cuando de del desde donde dónde el él ella ellos en entre era es esa ese "
    "eso esta está este esto fue ha hay he la las le les lo los me mi mis muy más ni no nos o para pero por "
    "porque qué que quien se ser si sin sobre son su sus también te tu un una uno unos y ya yo",
    "it": "a ad al alla alle anche che chi ci come con cosa da dal dalla dei del della delle di dove e è gli ha ho "
    "i il in io la le lo ma mi nel nella non o per perché più quale quando questa questo se si sono su sul "
    "sulla tra tu un una uno",
    "pt": "a ao aos as à às com como da das de do dos e é ela ele em entre era essa esse esta este eu foi há isso "
    "isto já mais mas me na nas no nos não o onde os ou para pela pelo por porque qual quando que quem se sem "
    "ser seu sua são também um uma você",
    "nl": "aan al als bij dan dat de der deze die dit doen door een en er had heeft hem het hij hoe hun ik in is je "
    "kan maar me meer met mij mijn moet na naar niet nog nu of om onder ook op over te tot u uit van veel "
    "voor waar was wat we wel wie wij wordt ze zich zij zijn zo",
    "sv": "alla att av de dem den det denna detta dig din du där efter ej eller en ett från för ha han har hon hur "
    "i icke inte jag kan man med men mig min när och om på sig sin som så till under upp ut vad var vem vi "
    "vid är över",
    "da": "af alle at da de dem den der det dette dig din du efter eller en er et for fra ham han har hun hvad hvem "
    "hvor hvordan i ikke jeg kan man med men mig min når og også om op over på sig sin som så til ud under "
    "var ved vi",
    "no": "alle at av da de dem den der det dette deg din du eller en er et etter for fra han har hun hva hvem hvor "
    "hvordan i ikke jeg kan man med men meg min når og også om opp over på seg sin som så til ut under var "
    "ved vi",
    "fi": "että ei en hän he ja jo joka jos kuin kun me mikä minä miten mitä mutta myös ne ni niin nyt on ovat se "
    "sekä siitä sinä tai tämä te vai",
    "pl": "a aby ale bo być ci co czy dla do gdy gdzie go i ich jak jest jego jej już ją kto ma mi mnie na nad nie "
    "niż o od po pod przez przy są się ta tak te to tylko ty w we z za ze że",
    "cs": "a aby ale ani být co či do i já jak jako je jeho její jen ji jsem jsou k kde kdo když na ne nebo o od po "
    "pod pro před při s se si ta tak to tu u v ve z za ze že",
    "ru": "а без бы был была были было быть в вам вас весь во вот все вы где да для до его ее её если есть еще же "
    "за и из или им их к как ко когда кто ли мне мы на над нас не него нет ни но ну о об он она они оно от по "
    "под при с со так также там то тот ты у уже что чтобы эта эти это я",
}
"""By ISO 639-1 code, in lower case."""
_SETS = {language: frozenset(words.split()) for language, words in WORDS.items()}


def function_words(words: Sequence[str], languages: Iterable[str | None]) -> frozenset[str]:
    """Those of the language that most of the words are grammar of; of the first of these where it is undecided."""
    known = [_SETS[language] for language in languages if language in _SETS]
    spelled = [word.lower() for word in words]
    return max(known, key=lambda some: sum(word in some for word in spelled), default=frozenset())
