"""Tells sentences that speak to a language model rather than to a reader.

Fences and the form of the answer are the defence; this only keeps a page's orders from being
quoted as if they were facts.
"""

import re

_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,60}"
    r"\b(?:instruction|instructions|prompt|prompts|rule|rules|above|previous|prior|guideline"
    r"|guidelines|context|passages?)\b"
    r"|\b(?:system|developer) (?:prompt|message|override|note)\b"
    r"|\byou are (?:now|no longer|an? (?:ai|assistant|language model|chatbot))\b"
    r"|\b(?:as|dear|attention|note to|hey|hello),? (?:an? |the |all )?(?:ai|llm|llms|assistant|"
    r"assistants|language model|language models|chatbot)\b"
    r"|\b(?:your|the) (?:new )?(?:instructions?|task|role|reply|answer|output) "
    r"(?:is|are|must|shall|should) (?:now|be|only)\b"
    r"|\b(?:do not|don't|never) (?:cite|quote|mention|reveal|use (?:any )?(?:quotes|citations))\b"
    r"|\b(?:reply|respond|answer|output|print|say|write|return)\b[^.\n]{0,40}"
    r"\b(?:only|exactly|instead|the word|the words|following|verbatim|json)\b"
    r"|\b(?:jailbreak|prompt injection|DAN mode|developer mode|end of (?:passage|context|data))\b"
    r"|<<<|>>>|<\|im_(?:start|end)\|>|\[/?INST\]|<</?SYS>>|\"statements\"\s*:",
    re.IGNORECASE,
)


def speaks_to_a_model(text: str) -> bool:
    """Returns whether a text gives orders to whoever answers from it."""
    return _ORDERS.search(text) is not None
