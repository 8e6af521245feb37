"""Learns what hosts repeat from pages with news, and answers what is left out because of it."""

from collections.abc import Mapping
from itertools import groupby

from scops.change_detector import metrics
from scops.change_detector.manifests.bodies import PackedBody, load_manifest, load_version
from scops.change_detector.manifests.shown import ShownBlocks, shown_blocks
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.templates.blocks import host_of
from scops.change_detector.templates.learning import BlockTemplate
from scops.change_detector.timeline.records import HostTemplates, PageAddress, SeenBlocks
from scops.common.contract.errors import BlobMissing, InvalidInput, NotFound
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import (
    HostMask,
    LeftOutText,
    TemplateBlock,
    TemplatesRequest,
    TemplatesResponse,
)
from scops.common.observe.log import get_logger
from scops.common.processes.tasks import TaskFailed
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.rules import in_scope

log = get_logger(__name__)
BLOCKS_SHOWN_MAX = 50
HOSTS_SHOWN_MAX = 100
PAGES_LEARNED_MAX = 100
# Of what a page leaves out: a reply holds 512 KiB.
LEFT_OUT_MAX, LEFT_OUT_CHARACTERS_MAX = 1_000, 100_000


async def learn_templates(ports: ChangeDetectorPorts) -> int:
    """Notes what some pages with news show, host by host; returns how many pages."""
    pending = await ports.templates.pending(limit=PAGES_LEARNED_MAX)
    for (organisation_id, host), pages in groupby(sorted(pending, key=_host_of), key=_host_of):
        seen = [await _seen(address, ports) for address in pages]
        before = (await ports.templates.mask(organisation_id, host)).epoch
        epoch = await ports.templates.learn(organisation_id, host, seen)
        metrics.TEMPLATE_EPOCHS.inc(max(epoch - before, 0))
    return len(pending)


async def answer_templates(
    request: TemplatesRequest, ports: ChangeDetectorPorts
) -> TemplatesResponse:
    """Returns what the hosts of a scope repeat, or what one page leaves out of its chunks.

    Raises:
        InvalidInput: neither a scope nor a page is named.
        NotFound: the page has no version.
        NotYetKnown: the scope's revision has not arrived yet.
    """
    if request.page_id:
        return TemplatesResponse(left_out=await _left_out(request.page_id, ports))
    if request.scope is None:
        raise InvalidInput("Name a scope or a page.", reason="SCOPE_NOT_GIVEN")
    scope = ports.scopes.get(request.scope)
    most = HOSTS_SHOWN_MAX
    hosts: list[HostMask] = []
    for host in await ports.templates.hosts(scope.organisation_id):
        found = await ports.templates.of_host(scope.organisation_id, host, limit=BLOCKS_SHOWN_MAX)
        keepers = {template.keeper for template, _ in found.templates}
        urls = await ports.addresses.urls_of(sorted(keepers))
        if any(in_scope(scope, url) for url in urls.values()):
            hosts.append(_mask_message(found, urls))
        if len(hosts) == most:
            break
    return TemplatesResponse(hosts=tuple(hosts))


def _host_of(address: PageAddress) -> tuple[str, str]:
    return address.organisation_id, host_of(address.canonical_url)


async def _seen(address: PageAddress, ports: ChangeDetectorPorts) -> SeenBlocks:
    """Reads what a page shows; what is fetched with a credential teaches nothing to others."""
    body = await _standing_body(address, ports) if address.access_context == PUBLIC else None
    shown = await _shown(body, address, ports) if body else ShownBlocks()
    return SeenBlocks(
        page_id=address.page_id, news=address.news, keys=shown.keys, texts=shown.texts
    )


async def _shown(body: PackedBody, address: PageAddress, ports: ChangeDetectorPorts) -> ShownBlocks:
    try:
        return await ports.compute(shown_blocks, body, characters=body.characters)
    except TaskFailed as error:
        # Other pages of the host tell what it repeats.
        log.warning("page_not_learned_from", page_id=address.page_id, reason=error.reason)
        return ShownBlocks()


async def _standing_body(address: PageAddress, ports: ChangeDetectorPorts) -> PackedBody | None:
    history = await ports.histories.history(address.page_id, limit=1)
    if history is None or history.closed_time is not None or not history.versions:
        return None
    try:
        return (await load_version(ports.archive, history.versions[0].manifest)).body
    except BlobMissing:
        # A damaged archive is the indexer's news; here the page merely teaches nothing.
        return None


async def _left_out(page_id: PageId, ports: ChangeDetectorPorts) -> tuple[LeftOutText, ...]:
    version = await ports.histories.newest(page_id)
    if version is None:
        raise NotFound(f"No version of page {page_id} is recorded.", page_id=page_id)
    if version.dropped_time is not None:
        return ()
    manifest = await load_manifest(ports.archive, version.manifest)
    text = (await ports.archive.get(manifest.text)).decode()
    found, room = [], LEFT_OUT_CHARACTERS_MAX
    for span in manifest.left_out[:LEFT_OUT_MAX]:
        shown = text[span.start : span.end][:room]
        found.append(LeftOutText(start=span.start, end=span.end, text=shown))
        room -= len(shown)
    return tuple(found)


def _mask_message(found: HostTemplates, urls: Mapping[PageId, str]) -> HostMask:
    return HostMask(
        host=found.host,
        epoch=found.epoch,
        pages=found.pages,
        blocks=tuple(_block_message(template, text, urls) for template, text in found.templates),
    )


def _block_message(template: BlockTemplate, text: str, urls: Mapping[PageId, str]) -> TemplateBlock:
    return TemplateBlock(
        text=text,
        pages=template.pages,
        keeper_url=urls.get(template.keeper, ""),
        retired=template.retired,
    )
