"""`scops evaluate synthetic`: scopes made for the purpose, asked with and without them."""

import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scops.standalone.commands.evaluating import opened_client
from scops.standalone.evaluation.synthetic import Grouping
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, diagnostics, line, print_json

if TYPE_CHECKING:
    from scops.standalone.evaluation.asking import AskedWith
    from scops.standalone.evaluation.outcomes import AskedQuestion
    from scops.standalone.evaluation.questions import EvaluationQuestion
    from scops.standalone.evaluation.synthetic import SyntheticScopes

PREFIX = "synthetic"
MARKDOWN, CHARSET = "text/markdown", "utf-8"
SHOWN = ("ndcg", "sf", "sl")
REASON = "scops evaluate synthetic"


def synthetic(
    by: Annotated[
        Grouping, typer.Option(help="What the pages of a scope have in common.")
    ] = Grouping.TOPICS,
    scopes: Annotated[int, typer.Option(min=2, max=20, help="So many are made.")] = 8,
    places: Annotated[
        int, typer.Option(min=2, max=50, help="In each; a place has two pages or three.")
    ] = 8,
    questions: Annotated[int, typer.Option(min=1, max=2_000, help="At most so many.")] = 100,
    limit: Annotated[
        int, typer.Option(min=1, max=10, help="Passages for each question; the k of measures.")
    ] = 10,
    seed: Annotated[int, typer.Option(help="Another one makes other pages and questions.")] = 7,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep scopes and pages; done again, they are asked.")
    ] = False,
    timeout_seconds: Annotated[
        float, typer.Option(min=1, help="As long as indexing is waited for.")
    ] = 600.0,
) -> None:
    """Makes synthetic scopes and pages, asks with and without scopes, and removes them.

    nDCG, scope fidelity and scope leakage, as in the paper of OwlerLite: dense retrieval and its
    scope-aware score as published, and Scops' own recipe over all scopes, with the target
    preferred, and in the target alone. Nothing is kept but with --keep.
    """
    from scops.standalone.evaluation.scope_systems import PAPER, measured
    from scops.standalone.evaluation.synthetic import synthetic_scopes

    made = synthetic_scopes(
        seed=seed,
        by=by,
        groups=scopes,
        places=places,
        questions=questions,
        prefix=f"{PREFIX}-{by}-{seed}",
    )
    with open_gateway() as gateway:
        try:
            _make(gateway, made, timeout_seconds)
            with opened_client() as client:
                systems = measured(made.questions, made.scopes, _asker(client), limit=limit)
        finally:
            left = [] if keep else _remove(gateway, made)
    told = {
        "by": by,
        "seed": seed,
        "scopes": len(made.scopes),
        "pages": len(made.pages),
        "questions": len(made.questions),
        "k": limit,
        "systems": systems,
        "paper": PAPER,
        "kept": list(made.scopes) if keep else left,
    }
    if Output.is_json():
        print_json(told)
    else:
        _show(told)


def _make(gateway: GatewayClient, made: "SyntheticScopes", seconds: float) -> None:
    """Creates the scopes with their pages, and waits until those are indexed.

    Raises:
        CommandError: that takes longer, or a page is refused.
        scops.client.ScopsError: the gateway refuses.
    """
    from scops.standalone.commands.files.adding import AddedFiles, Adding
    from scops.standalone.commands.files.documents import FileDocument

    waiting, tally = [], AddedFiles()
    for number, scope in enumerate(made.scopes):
        _ensure(gateway, scope)
        adding = Adding(gateway, scope, scope)
        documents = [
            FileDocument(
                uri=made.uri(page),
                content=page.text.encode(),
                media_type=MARKDOWN,
                charset=CHARSET,
                modified=page.modified,
            )
            for page in made.pages
            if page.group == number
        ]
        adding.add_documents(documents, tally)
        waiting.append(adding)
        diagnostics.print(f"[dim]{scope}: {len(documents)} pages[/dim]")
    for adding in waiting:
        for _ in adding.wait(tally, seconds=seconds):
            pass
        if tally.on_their_way or tally.unread:
            break
    if tally.on_their_way or tally.unread:
        why = tally.unread[0].why if tally.unread else "indexing takes long"
        raise CommandError(
            f"Not all pages are in the index: {why}. Wait longer (--timeout-seconds), or make "
            "fewer (--scopes, --places).",
            code=Exit.JOB_NOT_COMPLETED,
            reason="NOT_INDEXED",
        )


def _ensure(gateway: GatewayClient, scope: str) -> None:
    from scops.api.v1alpha1 import scope_service_pb2 as pb
    from scops.client.errors import NotFound

    try:
        gateway.call(gateway.scopes.GetScope, pb.GetScopeRequest(name=f"scopes/{scope}"))
    except NotFound:
        rule = pb.ScopeRule(kind=pb.ScopeRule.KIND_PREFIX, pattern=f"file://{scope}")
        wanted = pb.CreateScopeRequest(scope_id=scope, scope=pb.Scope(rules=[rule]))
        gateway.call(gateway.scopes.CreateScope, wanted)


def _remove(gateway: GatewayClient, made: "SyntheticScopes") -> list[str]:
    """Purges the pages and deletes the scopes; returns those of which something is left."""
    from scops.api.v1alpha1 import page_service_pb2 as pages
    from scops.api.v1alpha1 import purge_service_pb2 as purges
    from scops.api.v1alpha1 import scope_service_pb2 as pb
    from scops.client.errors import NotFound, NotPermitted, ScopsError

    left = []
    try:
        request = purges.PurgePagesRequest(
            uri_prefixes=[f"file://{scope}" for scope in made.scopes],
            reason=REASON,
            request_id=str(uuid.uuid4()),
        )
        gateway.call(gateway.purges.PurgePages, request)
    except NotPermitted:
        # Who may not purge takes them out of the index; their versions stay.
        for page in made.pages:
            gone = pages.PutPageCaptureRequest(
                scope=f"scopes/{made.scopes[page.group]}", uri=made.uri(page), gone=True
            )
            _quietly(gateway.pages.PutPageCapture, gone, gateway)
    except ScopsError as error:
        diagnostics.print(f"[yellow]pages were not purged[/yellow] {error}")
        left = list(made.scopes)
    for scope in made.scopes:
        try:
            gateway.call(gateway.scopes.DeleteScope, pb.DeleteScopeRequest(name=f"scopes/{scope}"))
        except NotFound:
            continue
        except ScopsError as error:
            diagnostics.print(f"[yellow]{scope} was not deleted[/yellow] {error}")
            left.append(scope)
    return sorted(set(left))


def _quietly(method: Callable[..., Any], request: Any, gateway: GatewayClient) -> None:
    from scops.client.errors import ScopsError

    try:
        gateway.call(method, request)
    except ScopsError:
        # It never came in.
        return


def _asker(
    client: Any,
) -> "Callable[[Sequence[EvaluationQuestion], AskedWith], Sequence[AskedQuestion]]":
    from scops.standalone.evaluation.asking import ask_all, asking

    def ask(
        questions: "Sequence[EvaluationQuestion]", asked: "AskedWith"
    ) -> "Sequence[AskedQuestion]":
        return ask_all(questions, asking(client, asked), told=lambda _: None)

    return ask


def _show(told: dict[str, Any]) -> None:
    k = told["k"]
    names = [f"{name}@{k}" for name in SHOWN] + [f"ndcg@{k}_inside"]
    line(
        f"{told['questions']} questions, {told['pages']} pages in {told['scopes']} scopes "
        f"by {told['by']}, seed {told['seed']}"
    )
    line(f"[bold]{'':12}" + "".join(f"{name:>24}" for name in names) + "[/bold]")
    for system, figures in told["systems"].items():
        cells = ""
        for name in names:
            one = figures[name]
            low, high = one["interval"]
            cells += f"{one['mean']:8.3f} ({low:.3f}–{high:.3f})"
        line(f"{system:12}{cells}")
    for system, figures in told["paper"].items():
        cells = "".join(f"{figures.get(name, 0):8.3f}{'':16}" for name in names[:3])
        line(f"[dim]{system:12}{cells} in the paper, of other pages[/dim]")
    if told["kept"]:
        line(f"[dim]kept: {', '.join(told['kept'])}[/dim]")
