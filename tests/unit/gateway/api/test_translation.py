"""Messages filled from values by the names of their fields."""

from dataclasses import dataclass

import pytest

from scops.api.v1alpha1 import job_service_pb2 as pb
from scops.api.v1alpha1 import scope_service_pb2, search_service_pb2
from scops.common.contract import wire
from scops.common.contract.ids import PageId
from scops.common.contract.messages import explanation, types
from scops.common.contract.messages.crawl import PageOutcome
from scops.gateway.api.translation import Translation


@dataclass
class Nameless:
    """A value that lacks what the message has."""

    page_id: str = "p"


def test_names_of_the_api_are_found_in_a_value() -> None:
    """`page` is the resource name of `page_id`, `uri` the `url`."""
    outcome = PageOutcome(page_id=PageId("p"), url="https://a.org/", joined_url="https://b.org/")
    made = Translation({}).message(pb.PageOutcome, outcome)

    assert pb.PageOutcome(page="pages/p", uri="https://a.org/", joined_uri="https://b.org/") == made


def test_field_that_nothing_is_named_like_is_an_error() -> None:
    """Nothing of a message is left out unseen."""
    with pytest.raises(LookupError, match=r"Nameless has nothing for PageOutcome\.uri"):
        Translation({}).message(pb.PageOutcome, Nameless())


def test_requests_are_read_by_the_numbers_of_our_own_enums() -> None:
    """`wire.from_proto` takes numbers as they come, so the API's enums have ours."""
    pairs = [
        (scope_service_pb2.ScopeRule, "kind", types.ScopeRule, "kind"),
        (search_service_pb2.Turn, "speaker", explanation.Turn, "speaker"),
    ]
    for api, api_field, ours, our_field in pairs:
        theirs = api.DESCRIPTOR.fields_by_name[api_field].enum_type
        own = wire.proto_class(ours).DESCRIPTOR.fields_by_name[our_field].enum_type

        assert wire.enum_numbers(own) == wire.enum_numbers(theirs)
