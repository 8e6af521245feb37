"""Names of resources, as people write them."""

import uuid
from collections.abc import Iterable

from scops.client.values.chats import Chat
from scops.client.values.jobs import Job
from scops.client.values.pages import Page
from scops.client.values.researches import Research
from scops.client.values.scopes import Scope
from scops.client.values.watches import Watch

# A scope, or its id or name, such as `tarn` or `scopes/tarn`; `*` is all that the caller may see.
AnyScope = Scope | str
Scopes = AnyScope | Iterable[AnyScope]
AnyJob = Job | str
AnyWatch = Watch | str
AnyChat = Chat | str
AnyResearch = Research | str
# A page, its name, or its URL.
AnyPage = Page | str
ALL = "*"


def scope_name(scope: AnyScope) -> str:
    """Returns `scopes/{scope}`; `*` stays."""
    return scope if scope == ALL else _named("scopes", scope)


def scope_names(scopes: Scopes) -> list[str]:
    """Returns the names of one scope or several."""
    if isinstance(scopes, Scope | str):
        return [scope_name(scopes)]
    return [scope_name(scope) for scope in scopes]


def job_name(job: AnyJob) -> str:
    """Returns `jobs/{job}`."""
    return _named("jobs", job)


def watch_name(watch: AnyWatch) -> str:
    """Returns `watches/{watch}`."""
    return _named("watches", watch)


def chat_name(chat: AnyChat) -> str:
    """Returns `chats/{chat}`."""
    return _named("chats", chat)


def research_name(research: AnyResearch) -> str:
    """Returns `researches/{research}`."""
    return _named("researches", research)


def fresh_request_id() -> str:
    """Returns the id of a request that may be repeated (AIP-155)."""
    return str(uuid.uuid4())


def _named(collection: str, one: AnyScope | AnyJob | AnyWatch | AnyChat | AnyResearch) -> str:
    name = one if isinstance(one, str) else one.name
    return name if "/" in name else f"{collection}/{name}"
