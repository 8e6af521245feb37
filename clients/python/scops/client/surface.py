"""The methods that both clients have: each is bound to whichever client it is called on."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from scops.client.calls import Listing, Plan, Streaming
from scops.client.methods import (
    chats,
    identity,
    jobs,
    pages,
    questions,
    researches,
    scopes,
    watches,
)

if TYPE_CHECKING:
    from scops.client.async_scops import AsyncScops
    from scops.client.scops import Scops

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Item = TypeVar("Item")


class Method(Generic[Parameters, Result]):
    """A method that returns one value: at once, or to be awaited."""

    def __init__(self, plan: Callable[Parameters, Plan[Result]]) -> None:
        self._plan = plan
        self.__doc__ = plan.__doc__

    @overload
    def __get__(self, client: None, owner: object) -> Callable[Parameters, Plan[Result]]: ...
    @overload
    def __get__(self, client: "Scops", owner: object) -> Callable[Parameters, Result]: ...
    @overload
    def __get__(
        self, client: "AsyncScops", owner: object
    ) -> Callable[Parameters, Awaitable[Result]]: ...
    def __get__(self, client: Any, owner: object) -> Any:
        return self._plan if client is None else client._bound(self._plan)


class ListMethod(Generic[Parameters, Item]):
    """A method that returns an iterator, which reads page after page."""

    def __init__(self, listing: Callable[Parameters, Listing[Item]]) -> None:
        self._listing = listing
        self.__doc__ = listing.__doc__

    @overload
    def __get__(self, client: None, owner: object) -> Callable[Parameters, Listing[Item]]: ...
    @overload
    def __get__(self, client: "Scops", owner: object) -> Callable[Parameters, Iterator[Item]]: ...
    @overload
    def __get__(
        self, client: "AsyncScops", owner: object
    ) -> Callable[Parameters, AsyncIterator[Item]]: ...
    def __get__(self, client: Any, owner: object) -> Any:
        return self._listing if client is None else client._listed(self._listing)


class StreamMethod(Generic[Parameters, Item]):
    """A method that returns an iterator of parts, each given as soon as it comes."""

    def __init__(self, streaming: Callable[Parameters, Streaming[Item]]) -> None:
        self._streaming = streaming
        self.__doc__ = streaming.__doc__

    @overload
    def __get__(self, client: None, owner: object) -> Callable[Parameters, Streaming[Item]]: ...
    @overload
    def __get__(self, client: "Scops", owner: object) -> Callable[Parameters, Iterator[Item]]: ...
    @overload
    def __get__(
        self, client: "AsyncScops", owner: object
    ) -> Callable[Parameters, AsyncIterator[Item]]: ...
    def __get__(self, client: Any, owner: object) -> Any:
        return self._streaming if client is None else client._streamed(self._streaming)


class Methods:
    """What can be asked."""

    search = Method(questions.search)
    answer = Method(questions.answer)
    answer_stream = StreamMethod(questions.answer_stream)
    explain = Method(questions.explain)
    resolve_citations = Method(questions.resolve_citations)

    create_scope = Method(scopes.create_scope)
    get_scope = Method(scopes.get_scope)
    scope_use = Method(scopes.scope_use)
    list_scopes = ListMethod(scopes.list_scopes)
    update_scope = Method(scopes.update_scope)
    delete_scope = Method(scopes.delete_scope)
    preview_scope = Method(scopes.preview_scope)
    add_pages = Method(scopes.add_pages)
    share_scope = Method(scopes.share_scope)
    transfer_scope = Method(scopes.transfer_scope)
    fork_scope = Method(scopes.fork_scope)
    list_scope_revisions = ListMethod(scopes.list_scope_revisions)
    revert_scope = Method(scopes.revert_scope)

    crawl = Method(jobs.crawl)
    get_job = Method(jobs.get_job)
    watch_job = StreamMethod(jobs.watch_job)
    wait_job = Method(jobs.wait_job)
    list_jobs = ListMethod(jobs.list_jobs)
    cancel_job = Method(jobs.cancel_job)

    list_pages = ListMethod(pages.list_pages)
    get_page = Method(pages.get_page)
    locate_page = Method(pages.locate_page)
    capture_page = Method(pages.capture_page)
    signal_pages = Method(pages.signal_pages)
    read_page = Method(pages.read_page)
    page_history = Method(pages.page_history)
    diff_page = Method(pages.diff_page)
    what_changed = Method(pages.what_changed)
    page_changes = Method(pages.page_changes)
    watch_changes = StreamMethod(pages.watch_changes)
    pin_version = Method(pages.pin_version)

    create_watch = Method(watches.create_watch)
    get_watch = Method(watches.get_watch)
    list_watches = ListMethod(watches.list_watches)
    update_watch = Method(watches.update_watch)
    delete_watch = Method(watches.delete_watch)
    test_watch = Method(watches.test_watch)
    research = Method(researches.research)
    get_research = Method(researches.get_research)
    watch_research = StreamMethod(researches.watch_research)
    wait_research = Method(researches.wait_research)
    list_researches = ListMethod(researches.list_researches)
    promote_research = Method(researches.promote_research)
    cancel_research = Method(researches.cancel_research)
    delete_research = Method(researches.delete_research)
    create_chat = Method(chats.create_chat)
    get_chat = Method(chats.get_chat)
    list_chats = ListMethod(chats.list_chats)
    rename_chat = Method(chats.rename_chat)
    delete_chat = Method(chats.delete_chat)
    share_chat = Method(chats.share_chat)
    list_chat_turns = ListMethod(chats.list_chat_turns)
    get_chat_turn = Method(chats.get_chat_turn)

    whoami = Method(identity.whoami)
    get_quotas = Method(identity.get_quotas)
