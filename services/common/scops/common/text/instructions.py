"""Text that speaks to a language model rather than to a reader.

No filter is proof against prompt injection, so no text is removed for its words. A block of a page
that gives orders is flagged, the flag travels with its chunk, and passages with it are left out
of prompts. A sentence that a model says or quotes is held to more: fences and the form of the
answer are the defence there, and this keeps a page's orders from being quoted as if they were
facts. What readers do not see is removed before.

Every repetition is bounded: pages choose the text.

Source: the templates that Greshake et al. 2023 (arXiv 2302.12173) and later collections share.
"""

import re

from scops.common.text.bounded import bounded

_ANY = r"(?:\W+\w+){0,4}\W+"
_INSTRUCTIONS = (
    r"(?:instructions?|prompts?|directives?|rules|guidelines|commands|context|messages?|anweisungen"
    r"|befehle|vorgaben|instructions|consignes|instrucciones|istruzioni|polecenia)"
)
_ORDERS = (
    r"\b(?:ignore|disregard|forget|override|bypass|do not follow|ignorier\w*|vergiss|missachte\w*"
    r"|ignorez|oublie[sz]?|ignora|olvida|dimentica|zignoruj)\b"
    rf"{_ANY}(?:previous|prior|above|earlier|preceding|all|any|your|system|vorherigen?|bisherigen?"
    rf"|obigen?|alle|précédente?s?|anteriores|precedenti|poprzednie){_ANY}{_INSTRUCTIONS}\b"
    rf"|\b(?:ignore|disregard|forget)\W+(?:all\W+|any\W+|the\W+|your\W+|these\W+)*"
    rf"(?:previous|prior|above|earlier|system)?\W*{_INSTRUCTIONS}\b"
    r"|\b(?:ignorier\w*|vergiss|missachte)\W+(?:alle\W+|die\W+|deine\W+)*"
    r"(?:vorherigen|bisherigen|obigen|früheren)?\W*(?:anweisungen|befehle|vorgaben)\b"
    r"|\b(?:ignore[zr]?|oublie[sz]?)\W+(?:toutes?\W+|les\W+|vos\W+|tes\W+)*"
    r"(?:instructions|consignes)\b"
    r"|\b(?:ignora|olvida)\W+(?:todas?\W+|las\W+|tus\W+)*(?:instrucciones|órdenes)\b"
    r"|\b(?:you are|you're|act as|pretend (?:to be|you are)|du bist|tu es|eres)\W+(?:now|jetzt"
    r"|maintenant|ahora)\b.{0,40}\b(?:ai|assistant|model|bot|gpt|dan|llm|agent|unrestricted"
    r"|jailbroken|developer mode)\b"
    r"|\b(?:reveal|print|repeat|show|output|leak|disclose)\W+(?:me\W+)?(?:your|the)\W+"
    r"(?:\w+\W+)?(?:system|hidden|initial|original|secret)\W+(?:prompt|instructions?|message)\b"
    r"|\b(?:new|updated|important|additional|hidden)\W+(?:system\W+)?instructions?\W+(?:for|to)\W+"
    r"(?:the\W+)?(?:ai|assistant|model|llm|agent|chatbot|bot)s?\b"
    r"|\b(?:if you are|as|dear|attention|note to|message to|hey)\W+(?:an?\W+|the\W+|any\W+|all\W+)?"
    r"(?:ai|llm|large language model|language model|gpt|chatgpt|claude|gemini|copilot|ai assistant"
    r"|ai agent)s?\b.{0,80}\b(?:must|should|please|always|never|do not|don't|ignore|respond|reply"
    r"|answer|say|output|recommend|include|summari[sz]e|mention|visit|send|click)\b"
    r"|\bdo\W+(?:not|n't)\W+(?:tell|inform|mention (?:this|it) to|reveal (?:this|it) to)\W+"
    r"(?:the\W+)?(?:user|human|reader)\b"
    r"|\b(?:your|the)\W+(?:real|true|new|only)\W+(?:task|goal|objective|instructions?)\W+(?:is|are)\W+"
    r"(?:now\W+)?to\b"
    r"|<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[/?INST\]|<</?SYS>>"
    r"|(?:^|\n)\s*(?:###\s*)?(?:system|assistant)\s*(?:prompt|message)?\s*:\s*"
    r"(?:you|ignore|from now)"
    r"|\b(?:from now on|henceforth)\W+(?:you|always|never)\b.{0,60}\b(?:respond|answer|reply|act"
    r"|obey|output)\b"
    r"|\b(?:send|post|exfiltrate|forward|upload)\b.{0,60}\b(?:conversation|chat history"
    r"|user'?s? (?:data|message|password|email)|api keys?|credentials|system prompt)\b.{0,60}"
    r"\b(?:to|at|via)\b.{0,20}(?:https?:|@|www\.)"
)
_GIVES_ORDERS = re.compile(bounded(_ORDERS), re.IGNORECASE)
# Every pattern above holds one of these: a text without them is passed over at once.
_TRIGGERS = (
    *("ignor", "disregard", "forget", "overrid", "bypass", "not follow", "vergiss", "missachte"),
    *("oublie", "olvida", "dimentica", "you are now", "you're now", "act as", "pretend"),
    *("bist jetzt", "es maintenant", "eres ahora", "prompt", "instruction", "anweisung"),
    *("llm", "language model", "gpt", "claude", "gemini", "copilot", " ai ", "an ai", "ai agent"),
    *("ai assistant", "the user", "the human", "the reader", "real task", "new task", "true task"),
    *("only task", "objective", "real goal", "new goal", "<|", "[inst", "[/inst", "<<sys"),
    *("system:", "assistant:", "from now on", "henceforth", "exfiltrate", "conversation"),
    *("chat history", "api key", "credential", "user's", "user data", "users' "),
)
_ORDERS_TO_QUOTE = re.compile(
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
    r"|<<<|>>>|<\|im_(?:start|end)\|>|\[/?INST\]|<</?SYS>>|\"statements\"\s{0,8}:",
    re.IGNORECASE,
)
CHARACTERS_MAX = 20_000
_SPACES = re.compile(r"\s{2,}+")


def gives_orders(text: str) -> bool:
    """Returns whether a block or passage gives orders to a model that reads it."""
    text = _SPACES.sub(_one_space, text)[:CHARACTERS_MAX]
    lowered = text.casefold()
    if not any(trigger in lowered for trigger in _TRIGGERS):
        return False
    return _GIVES_ORDERS.search(text) is not None


def speaks_to_a_model(text: str) -> bool:
    """Returns whether a sentence gives orders to whoever answers from it, or speaks of its form."""
    return _ORDERS_TO_QUOTE.search(text[:CHARACTERS_MAX]) is not None or gives_orders(text)


def _one_space(run: "re.Match[str]") -> str:
    return "\n" if "\n" in run[0] else " "
