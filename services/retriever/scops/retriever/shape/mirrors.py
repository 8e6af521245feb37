"""Names the pages that say the same as a passage, of the scopes asked."""

from collections.abc import Mapping, Sequence

from scops.common.contract.ids import ChunkId, PageId
from scops.common.contract.messages.retrieval import Mirror
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.candidates.scope_rules import live_scopes, scope_matches
from scops.retriever.ports import RetrieverPorts
from scops.retriever.question import Question

# Most pages named with a passage because they say the same.
MIRRORS_MAX = 10
# Looked at for each one that is named: most lie inside the scopes asked, or outside of them.
LOOKED_AT_PER_MIRROR = 5


async def mirrors_of(
    candidates: Sequence[Candidate], question: Question, ports: RetrieverPorts
) -> Mapping[ChunkId, tuple[Mirror, ...]]:
    """Returns for each candidate's chunk the other pages whose heads list what it says.

    Pages outside of the scopes asked are not named, nor those of another access context. For an
    instant of the past there are none: what heads list is known of now alone.

    Raises:
        StoreUnavailable: the database does not answer.
    """
    wordings = [one.wording_id for one in candidates if one.wording_id]
    if not wordings or question.as_of is not None:
        return {}
    listed = await ports.mirrors.listed(wordings, limit=1 + MIRRORS_MAX * LOOKED_AT_PER_MIRROR)
    # Read after the wait: a rule that was removed meanwhile lets nothing out.
    scopes = live_scopes(question.scopes, ports.scope_book)
    named: dict[ChunkId, tuple[Mirror, ...]] = {}
    for candidate in candidates:
        if candidate.wording_id is None:
            continue
        pages: dict[PageId, Mirror] = {}
        for item in listed[candidate.wording_id]:
            is_own = item.page_id == candidate.hit.page_id
            is_foreign = item.access_context != candidate.version.access_context
            if is_own or is_foreign or item.page_id in pages or len(pages) == MIRRORS_MAX:
                continue
            if scope_matches(
                scopes,
                canonical_url=item.canonical_url,
                access_context=item.access_context,
                matches_max=1,
            ):
                pages[item.page_id] = Mirror(
                    page_id=item.page_id,
                    canonical_url=item.canonical_url,
                    chunk_id=item.chunk_id,
                    access_context=item.access_context,
                )
        named[candidate.hit.chunk_id] = tuple(pages.values())
    return named
