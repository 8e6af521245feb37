"""The string that is embedded for a chunk; the detector hashes it, the indexer embeds it."""


def embedded_text(header: str, text: str) -> str:
    """Returns header and text as the embedder sees them, and nothing else.

    `ids.embedding_key` hashes this string: a character more or less embeds every chunk again.
    """
    return f"{header}\n{text}" if header else text
