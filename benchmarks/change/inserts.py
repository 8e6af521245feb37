"""Paragraphs that nobody wrote, put between the paragraphs of real pages.

Imports nothing of the services.
"""

import random

TEXT = (
    "the a of to and in for with on at by from as it is are was be has will can may each this that "
    "one two all any more most other such only new old small large long short early late good "
    "people office member group team house street school market river garden winter summer "
    "letter answer question report record number value order change visit member price table "
    "window paper water light stone bread music story place house room door road field tree "
    "read write open close move keep hold bring carry build learn teach watch listen follow "
    "often always again still quite rather slowly quickly together apart above below beside"
)
WORDS = tuple(TEXT.split())
WORDS_MIN, WORDS_MAX = 30, 90


def generated_paragraph(chance: random.Random) -> str:
    """Returns a paragraph of some sentences of everyday words."""
    words = chance.choices(WORDS, k=chance.randint(WORDS_MIN, WORDS_MAX))
    sentences = []
    while words:
        length = chance.randint(6, 18)
        sentence, words = words[:length], words[length:]
        sentences.append(" ".join(sentence).capitalize() + ".")
    return " ".join(sentences)


def with_paragraph(text: str, chance: random.Random) -> str:
    """Returns a text with one more paragraph, at an empty line of it or at its end."""
    places = [at for at in range(len(text)) if text.startswith("\n\n", at)]
    at = chance.choice(places) if places else len(text)
    return f"{text[:at]}\n\n{generated_paragraph(chance)}{text[at:]}"
