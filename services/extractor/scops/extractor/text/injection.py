"""How far a document is to be trusted: whether blocks of it give orders to a language model."""

from scops.common.contract.messages.content import Document, TrustTier

INSTRUCTION_LIKE = "instruction_like"


def trust_tier(document: Document) -> TrustTier:
    """Returns how far a document is to be trusted, by its flags."""
    like = INSTRUCTION_LIKE in document.flags
    return TrustTier.INSTRUCTION_LIKE if like else TrustTier.UNSPECIFIED
