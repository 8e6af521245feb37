"""`scops evaluate generate`: questions of a scope's own pages, by templates or by a model."""

import json
import random
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from scops.standalone.commands.evaluating import opened_client, write_file
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, last_part, line, print_json

if TYPE_CHECKING:
    from scops.explainer.settings import ExplainerSettings
    from scops.standalone.evaluation.generating import AskedPage, MadeQuestions

MODEL_RETRIES = 1


class Writer(StrEnum):
    """Who writes questions."""

    TEMPLATES = "templates"
    MODEL = "model"


def generate(
    scope: Annotated[str, typer.Option(help="The scope whose pages are asked about.")],
    out: Annotated[Path, typer.Option(help="The file of questions that is written: .jsonl.")],
    questions: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 100,
    by: Annotated[
        Writer,
        typer.Option(
            help="Templates, or the model that SCOPS_EXPLAINER_MODEL_URL, _NAME and _KEY name."
        ),
    ] = Writer.TEMPLATES,
    model: Annotated[
        str, typer.Option(help="With --by model: another model of that endpoint.")
    ] = "",
    pages: Annotated[
        int, typer.Option(min=1, max=2_000, help="Pages that are read, drawn at random.")
    ] = 200,
    of_page: Annotated[int, typer.Option(min=1, help="At most so many of one page.")] = 3,
    foreign: Annotated[
        str,
        typer.Option(
            help="Another scope: a quarter as many questions of it, by templates, without an "
            "answer."
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Another one draws other pages and questions.")] = 7,
) -> None:
    """Makes questions of a scope's own pages for `scops evaluate FILE`.

    Left out are questions that say their answer or the title of their page, that other sentences
    answer as well, and that were asked already; of a model also those whose answer does not stand
    in the passage word for word. Passages go to the model's endpoint.
    """
    from scops.standalone.evaluation.generating import QuestionTemplates, pages_of

    writer = _settings(model) if by is Writer.MODEL else None
    chance = random.Random(seed)
    with opened_client() as client:
        own = list(pages_of(client, last_part(scope), count=pages, chance=chance))
        other = pages_of(client, last_part(foreign), count=pages, chance=chance) if foreign else ()
        others = list(other)
    templates = QuestionTemplates(own, chance)
    spent: dict[str, Any] = {}
    if writer is None:
        made = templates.made(questions, of_page=of_page)
    else:
        made, spent = _written(own, writer, chance, count=questions, of_page=of_page)
    without = templates.foreign(others, max(1, questions // 4), of_page=of_page)
    if not made.records:
        raise CommandError(
            f"No question can be made of the {len(own)} pages of {last_part(scope)}"
            f"{_why(made)}. Read more pages (--pages), or write questions by hand: see "
            "docs/evaluate.md.",
            code=Exit.NOT_FOUND,
            reason="NO_QUESTIONS",
        )
    records = [*made.records, *without.records]
    write_file(out, "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in records))
    told = {
        "file": str(out),
        "pages": len(own),
        "questions": len(made.records),
        "without_answer": len(without.records),
        "forms": dict(made.forms),
        "left_out": dict(made.left_out + without.left_out),
        **({"spent": spent} if spent else {}),
    }
    if Output.is_json():
        print_json(told)
        return
    forms = ", ".join(f"{count} {form}" for form, count in made.forms.items())
    line(f"{len(made.records)} questions of {len(own)} pages in {escape(str(out))}: {forms}")
    if without.records:
        line(f"{len(without.records)} of {escape(foreign)}, without an answer")
    if made.left_out:
        line(f"[dim]left out{_why(made)}[/dim]")


def _settings(model: str) -> "ExplainerSettings":
    """Returns the settings of the model that writes.

    Raises:
        CommandError: none is named.
    """
    from scops.explainer.settings import ExplainerSettings

    settings = ExplainerSettings.load()
    name = model or settings.model_name
    if not settings.model_url or not name:
        raise CommandError(
            "No model writes questions: SCOPS_EXPLAINER_MODEL_URL names an OpenAI-compatible "
            "endpoint, up to /v1, SCOPS_EXPLAINER_MODEL_NAME (or --model) its model, "
            "SCOPS_EXPLAINER_MODEL_KEY its key.",
            code=Exit.INVALID_INPUT,
            reason="NO_MODEL",
        )
    return settings.model_copy(update={"model_name": name})


def _written(
    pages: "Sequence[AskedPage]",
    settings: "ExplainerSettings",
    chance: random.Random,
    *,
    count: int,
    of_page: int,
) -> "tuple[MadeQuestions, dict[str, Any]]":
    """Returns questions that a model writes, and what was asked of it.

    Raises:
        CommandError: it does not answer.
    """
    # Imported here: it takes as long as the rest of the command's start.
    import asyncio

    from scops.common.runtime.clock import SystemClock
    from scops.libraries.model.language_model import ModelUnavailable
    from scops.libraries.model.openai_model import OpenAIModel
    from scops.standalone.evaluation.model_questions import ModelQuestions

    clock = SystemClock()
    model = OpenAIModel(
        url=settings.model_url,
        name=settings.model_name,
        key=settings.model_key.get_secret_value(),
        retries=MODEL_RETRIES,
        clock=clock,
    )
    writing = ModelQuestions(
        pages,
        model,
        clock,
        chance,
        seconds=settings.model_timeout_seconds,
        as_json=settings.model_json,
    )

    async def written() -> "MadeQuestions":
        try:
            return await writing.made(count, of_page=of_page)
        finally:
            await model.close()

    try:
        made = asyncio.run(written())
    except ModelUnavailable as error:
        raise CommandError(
            f"The model {settings.model_name} at {settings.model_url} does not answer: "
            f"{error.message} See that it runs, or give it longer "
            "(SCOPS_EXPLAINER_MODEL_TIMEOUT_SECONDS).",
            code=Exit.UNAVAILABLE,
            reason="MODEL_UNAVAILABLE",
        ) from error
    return made, {"model": model.name, **asdict(writing.spent)}


def _why(made: "MadeQuestions") -> str:
    counted = ", ".join(f"{count} {fault}" for fault, count in made.left_out.items())
    return f" ({counted})" if counted else ""
