"""What a caller may write: no character that a terminal obeys or a reader cannot see."""

import pytest
from google.protobuf.message import Message

from scops.api.v1alpha1 import page_service_pb2 as pages
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import search_service_pb2 as searches
from scops.common.contract.errors import InvalidInput
from scops.gateway.requests.texts import check_texts

BAD = "a\x1b[2Jb"
RULE = scopes.ScopeRule(pattern=f"a.org/{BAD}")
REFUSED: dict[str, Message] = {
    "scope_id": scopes.CreateScopeRequest(scope_id=BAD),
    "scope.display_name": scopes.CreateScopeRequest(scope=scopes.Scope(display_name=BAD)),
    "scope.rules.pattern": scopes.CreateScopeRequest(scope=scopes.Scope(rules=[RULE])),
    "scope.seeds": scopes.UpdateScopeRequest(scope=scopes.Scope(seeds=["https://a.org", BAD])),
    "note": pages.PinPageVersionRequest(name="pages/1", note=BAD),
    "query": searches.SearchRequest(query=BAD),
}


@pytest.mark.parametrize("field", REFUSED)
def test_controls_are_refused(field: str) -> None:
    """With the field and the character by name, and never the text itself."""
    with pytest.raises(InvalidInput, match="U\\+001B") as caught:
        check_texts(REFUSED[field])

    assert "TEXT_UNPRINTABLE" == caught.value.reason
    assert field == caught.value.metadata["field"]
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("text", ["a\nb", "a\u202eb", "a\u200bb", "a\x85b", "a\u2066b", "a\tb"])
def test_a_name_is_one_line_that_reads_as_it_is(text: str) -> None:
    """Lines, directions and hidden characters have no place in names."""
    with pytest.raises(InvalidInput):
        check_texts(scopes.CreateScopeRequest(scope=scopes.Scope(display_name=text)))


def test_questions_and_notes_may_have_lines() -> None:
    """Line feeds and tabs are how people write."""
    check_texts(searches.SearchRequest(query="What is new?\r\n\t- since May"))
    check_texts(pages.PinPageVersionRequest(note="one\ntwo"))
    check_texts(scopes.CreateScopeRequest(scope=scopes.Scope(display_name="Größe 中文 👩\u200d💻")))


def test_what_pages_said_may_come_back() -> None:
    """A citation is resolved by the very quote that an answer gave."""
    citation = searches.Citation(quote=BAD, prefix=BAD, title=BAD, section_path=[BAD])
    check_texts(searches.ResolveCitationsRequest(citations=[citation]))
