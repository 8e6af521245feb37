"""How weights of links are fitted, and what a walk without a system sees."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.expansion.fit import Looks, _conditional_logit, _logistic, _told, _walk
from benchmarks.expansion.offline import OfflineSite
from benchmarks.expansion.questions import Question, QuestionMaker
from benchmarks.expansion.sites import read_site
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.worlds.linked_site import written

LINKS, LOOKS = 30, 400


@pytest.fixture
def site(tmp_path: Path) -> OfflineSite:
    return OfflineSite(QuestionMaker(read_site(written(tmp_path))), HashingEmbedder())


def _drawn(*weights: float) -> Looks:
    """Returns looks at which the page that answers is drawn by known weights."""
    chance = np.random.default_rng(0)
    looks = Looks(answered=[True], with_all_links=[True])
    for _ in range(LOOKS):
        signals = chance.random((LINKS, len(weights)))
        odds = np.exp(signals @ np.array(weights))
        answers = np.zeros(LINKS, dtype=np.bool_)
        answers[chance.choice(LINKS, p=odds / odds.sum())] = True
        looks.signals.append(signals)
        looks.answers.append(answers)
    return looks


def test_weights_are_those_that_answers_were_drawn_by() -> None:
    """Up to the penalty and the chance of the draw; the one without a say has next to none."""
    meaning, words, searched = _conditional_logit([_drawn(4.0, 0.0, 8.0)])

    assert 1.0 < meaning < searched
    assert abs(words) < meaning / 2


def test_probabilities_sum_to_the_pages_that_answer() -> None:
    """As those of every logistic regression do."""
    looks = _drawn(4.0, 2.0, 8.0)
    weights = np.array([4.0, 2.0, 8.0])
    offset, scale = _logistic([looks], weights)
    chances = [1 / (1 + np.exp(-offset - scale * (one @ weights))) for one in looks.signals]

    assert LOOKS == pytest.approx(float(np.sum(chances)), rel=1e-6)
    assert scale > 0


def test_a_site_is_told_by_weights_of_the_others() -> None:
    """Without another site, nothing is said of them."""
    looks = _drawn(4.0, 2.0, 8.0)

    assert _told(looks, [])["within_four"] is None
    within = _told(looks, [_drawn(4.0, 2.0, 8.0)])["within_four"]
    assert within is not None
    assert within > 4 / LINKS


async def test_pages_are_weighed_by_the_links_that_are_known(site: OfflineSite) -> None:
    """A page that nothing opened links to is weighed only where all links are known."""
    seen = await site.weighed("restore", [site.start])
    every = await site.weighed("restore", [site.start], with_all_links=True)

    assert (len(seen.paths), 3) == seen.signals.shape
    assert "/guide/restore.html" not in seen.paths
    assert "/guide/restore.html" in every.paths
    assert sorted(every.order) == list(range(len(every.paths)))


async def test_looks_end_with_the_site(site: OfflineSite) -> None:
    """All pages are opened in the end, so that the question is answered."""
    gold = (("/guide/restore.html",),)
    question = Question("one", "whether", "Does a restore take long?", gold, (), "development")
    looks = Looks()
    await _walk(site, question, looks)

    assert [True] == looks.answered
    assert len(looks.signals) == len(looks.answers) > 1
    assert any(one.any() for one in looks.answers)
