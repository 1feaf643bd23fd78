"""On a made web with topics that lie together, a crawl with a topic finds them sooner than others do."""

from __future__ import annotations

import random

import pytest
from topical_web import DESCRIPTION, breadth_first, by_cosine, by_judge, examples, harvest, made

from gossamer.model import Link, Page
from gossamer.topic.classifier import Counts, Reason, sample, train
from gossamer.topic.features import features
from gossamer.topic.judge import Judge, judge_of, restored
from gossamer.topic.link_score import Standing


class RandomJudge(Judge):
    """Knows nothing."""

    def __init__(self, seed: int) -> None:
        super().__init__([sample(DESCRIPTION)])
        self._draw = random.Random(seed).random

    def page(self, page: Page) -> tuple[float, tuple[Reason, ...]]:
        return self._draw(), ()

    def link(self, link: Link, page: Standing) -> float:
        return self._draw()


def test_the_harvest_is_more_than_three_times_that_of_breadth_first_and_more_than_that_of_plain_cosine() -> None:
    ours, cosine, breadth = [], [], []
    for seed in range(3):
        web, most = made(seed, 4_000), 400
        texts = examples(web)
        ours.append(harvest(web, by_judge(web, most, judge_of(DESCRIPTION, texts, []))))
        cosine.append(harvest(web, by_cosine(web, most, " ".join([DESCRIPTION, *texts]))))
        breadth.append(harvest(web, breadth_first(web, most)))
    assert sum(ours) > 3 * sum(breadth)
    assert sum(ours) > sum(cosine)


def test_a_judge_that_knows_nothing_finds_what_breadth_first_finds() -> None:
    blind = breadth = 0.0
    for seed in range(6):
        web, most = made(seed, 3_000), 600
        blind += harvest(web, by_judge(web, most, RandomJudge(seed))) / 6
        breadth += harvest(web, breadth_first(web, most)) / 6
    assert abs(blind - breadth) < 0.03


def test_a_sentence_alone_is_enough_to_begin_with() -> None:
    web = made(7, 3_000)
    ours = harvest(web, by_judge(web, 300, judge_of(DESCRIPTION, [], [])))
    assert ours > 2 * harvest(web, breadth_first(web, 300))


def test_a_judge_goes_on_as_it_was_written_down() -> None:
    web = made(3, 1_000)
    judge = judge_of(DESCRIPTION, examples(web), [], learns=True)
    by_judge(web, 100, judge)
    again = restored(judge.state())
    for page in list(web.pages.values())[:50]:
        assert again.page(page)[0] == pytest.approx(judge.page(page)[0], abs=0.01)
    assert again.state() == judge.state()


@pytest.mark.soak
def test_the_same_with_two_thousand_pages_of_a_web_of_twenty_thousand() -> None:
    web, most = made(11, 20_000), 2_000
    texts = examples(web)
    ours = harvest(web, by_judge(web, most, judge_of(DESCRIPTION, texts, [])))
    assert ours > 3 * harvest(web, breadth_first(web, most))
    assert ours > harvest(web, by_cosine(web, most, " ".join([DESCRIPTION, *texts])))


def test_words_that_are_only_grammar_tell_no_topic() -> None:
    others = Counts()
    for number in range(40):
        others.add(features(f"The cars and the roads that are with these, number{number} of the list"))
    learned = train([sample("Honey, bees; swarming queens"), sample("How the bees are kept, and the honey")], others)
    assert learned.weights["bees"] > 0 > learned.weights["cars"]
    assert not {"the", "and", "are", "how", "that", "with", "the bees", "and the"} & learned.weights.keys()
    german = train([sample("Bienen und der Honig: wie die Imker den Honig ernten, auch mit der Schleuder")], Counts())
    assert "honig" in german.weights
    assert not {"und", "der", "die", "mit"} & german.weights.keys()
