"""`scops evaluate …`: asks judged questions, keeps what came back, compares runs."""

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from scops.standalone.commands.ask import AsOf, Mode, Model, Prefer, Recipe, Scopes
from scops.standalone.commands.evaluate_generate import generate
from scops.standalone.commands.evaluate_synthetic import synthetic
from scops.standalone.commands.evaluating import opened_client, write_file
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.instants import parse_instant
from scops.standalone.terminal.output import Output, diagnostics, last_part, line, print_json
from scops.standalone.terminal.unnamed import group_with

if TYPE_CHECKING:
    from scops.client import Scops as Client
    from scops.standalone.evaluation.asking import AskedWith
    from scops.standalone.evaluation.comparing import RunComparison
    from scops.standalone.evaluation.outcomes import AskedQuestion
    from scops.standalone.evaluation.questions import QuestionSet
    from scops.standalone.evaluation.runs import EvaluationRun

RUN = "run"
FAULTS_SHOWN_MAX, WORST_SHOWN_MAX = 10, 5
app = typer.Typer(
    cls=group_with(RUN),
    no_args_is_help=True,
    help="How good answers are: `scops evaluate FILE --scope SCOPE` asks judged questions.",
)


app.command()(generate)
app.command()(synthetic)


@app.command(RUN)
def evaluate(
    file: Annotated[
        Path,
        typer.Argument(
            help="JSON lines with `question` and `answer`, `answers`, `support` or `pages`; "
            "SQuAD, SciQ; or a folder of BEIR."
        ),
    ],
    scope: Scopes,
    target: Annotated[
        list[str] | None,
        typer.Option(help="A scope that passages should come from; may be repeated."),
    ] = None,
    recipe: Recipe = "",
    mode: Annotated[
        Mode, typer.Option(help="Quote sentences, or let the configured model word the answer.")
    ] = Mode.UNSPECIFIED,
    model: Model = "",
    prefer: Prefer = None,
    as_of: AsOf = None,
    limit: Annotated[
        int, typer.Option(min=1, max=100, help="Passages for each question; the k of measures.")
    ] = 10,
    questions: Annotated[int, typer.Option(min=0, help="Ask the first so many; 0 asks all.")] = 0,
    answers: Annotated[
        bool, typer.Option("--answers/--no-answers", help="Ask for answers, or passages alone.")
    ] = True,
    similarity: Annotated[
        bool,
        typer.Option(
            "--similarity/--no-similarity",
            help="Compare answers in meaning too, by the embedder of this machine.",
        ),
    ] = True,
    report: Annotated[
        Path | None, typer.Option(help="Write a page with plots and the worst cases here: .html.")
    ] = None,
) -> None:
    """Asks the questions of a file, and says how good passages, answers and citations are.

    The run is kept: `scops evaluate list` shows it, `scops evaluate compare` holds it against
    another. See docs/evaluate.md.
    """
    from scops.client.values.words import Mode as Worded
    from scops.standalone.evaluation.asking import AskedWith
    from scops.standalone.evaluation.reading import read_questions

    if report is not None and report.suffix not in (".html", ".htm"):
        raise CommandError(
            f"A report is a page of HTML; name the file {report.stem[:40]}.html, for one.",
            code=Exit.INVALID_INPUT,
            reason="REPORT_FORMAT",
        )
    read = read_questions(file)
    if questions:
        del read.questions[questions:]
    _tell_faults(read)
    asked = AskedWith(
        scopes=_named(scope),
        target=_named(target or []),
        recipe=recipe,
        mode=Worded[mode.name],
        prefer=_named(prefer or []),
        as_of=parse_instant(as_of).ToDatetime(UTC) if as_of else None,
        limit=limit,
        answers=answers,
        model=model,
    )
    with opened_client() as client:
        outcomes = _asked(client, read, asked)
    if answers and similarity:
        outcomes = _compared(read, outcomes)
    _finish(_run(file, read, asked, outcomes), report)


@app.command("list")
def list_runs() -> None:
    """Lists the runs that are kept, newest first."""
    from scops.standalone.evaluation.runs import KeptRuns

    runs = list(KeptRuns.of_user().all())
    if Output.is_json():
        print_json({"runs": [run.summary() for run in runs]})
        return
    for run in runs:
        scores = run.figures["scores"]
        told = "  ".join(f"{name} {scores[name]['mean']:.3f}" for name in list(scores)[:6])
        ways = (run.asked["recipe"] or "default", run.asked.get("model", ""))
        asked = ", ".join([*run.asked["scopes"], *filter(None, ways)])
        line(f"[bold]{run.id}[/bold] {escape(run.source)} [dim]({escape(asked)})[/dim] {told}")
    if not runs:
        line("No run is kept. `scops evaluate FILE --scope SCOPE` makes one.")


@app.command()
def compare(
    before: Annotated[str, typer.Argument(help="A run: its id or the beginning of it, or a file.")],
    after: Annotated[str, typer.Argument(help="The other; `latest` is the newest.")],
) -> None:
    """Compares two runs question by question: gains with intervals, wins, losses and ties."""
    from scops.standalone.evaluation.comparing import compare_runs
    from scops.standalone.evaluation.runs import KeptRuns

    runs = KeptRuns.of_user()
    compared = compare_runs(runs.get(before), runs.get(after))
    if Output.is_json():
        from dataclasses import asdict

        print_json(asdict(compared))
    else:
        _show_comparison(compared)


@app.command()
def report(
    run: Annotated[str, typer.Argument(help="A run: its id or the beginning of it, or `latest`.")],
    file: Annotated[Path, typer.Argument(help="Where the page is written.")],
) -> None:
    """Writes the page of a run that is kept."""
    from scops.standalone.evaluation.runs import KeptRuns

    _write_report(KeptRuns.of_user().get(run), file)


def _named(scopes: list[str]) -> tuple[str, ...]:
    return tuple(last_part(scope) for scope in scopes)


def _asked(client: "Client", read: "QuestionSet", asked: "AskedWith") -> "list[AskedQuestion]":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from scops.standalone.evaluation.asking import ask_all, asking

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    hidden = not diagnostics.is_terminal
    with Progress(*columns, console=diagnostics, transient=True, disable=hidden) as progress:
        bar = progress.add_task("asking", total=len(read.questions))
        return ask_all(
            read.questions,
            asking(client, asked),
            told=lambda done: progress.update(bar, completed=done),
        )


def _compared(read: "QuestionSet", outcomes: "list[AskedQuestion]") -> "list[AskedQuestion]":
    """Returns outcomes with how like in meaning they are to what is right."""
    # Imported here: ONNX Runtime takes a second and memory.
    import asyncio

    from scops.libraries.embedder.opening import open_embedder
    from scops.standalone.evaluation.similarity import with_similarity
    from scops.standalone.process.roles import load_common

    embedder = open_embedder(load_common())
    return asyncio.run(with_similarity(read.questions, outcomes, embedder))


def _run(
    file: Path, read: "QuestionSet", asked: "AskedWith", outcomes: "list[AskedQuestion]"
) -> "EvaluationRun":
    from dataclasses import asdict

    from scops.standalone.evaluation.figures import figures_of
    from scops.standalone.evaluation.runs import EvaluationRun, run_id

    time = datetime.now(UTC)
    said = {name: _plain(value) for name, value in asdict(asked).items()}
    words = "\n".join(f"{one.id}\t{one.text}" for one in read.questions)
    digest = sha256(words.encode()).hexdigest()
    return EvaluationRun(
        id=run_id(time, digest=digest, asked=said),
        time=time.isoformat(timespec="seconds"),
        source=file.name or str(file),
        form=read.form,
        digest=digest,
        asked=said,
        figures=figures_of(outcomes),
        faults=tuple(asdict(fault) for fault in read.faults),
        outcomes=tuple(outcomes),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


def _finish(run: "EvaluationRun", report: Path | None) -> None:
    from scops.standalone.evaluation.report import worst
    from scops.standalone.evaluation.runs import KeptRuns

    KeptRuns.of_user().put(run)
    if report is not None:
        _write_report(run, report)
    bad = worst(run.outcomes)
    if Output.is_json():
        print_json({**run.summary(), "worst": [one.id for one in bad]})
        return
    _show_run(run)
    for one in bad[:WORST_SHOWN_MAX]:
        given = one.said if one.answered else "not answered"
        line(f"[dim]{escape(one.id)}[/dim] {escape(one.question)}")
        line(f"   [yellow]{escape(given[:200])}[/yellow]")


def _write_report(run: "EvaluationRun", file: Path) -> None:
    from scops.standalone.evaluation.report import run_page

    write_file(file, run_page(run))


def _tell_faults(read: "QuestionSet") -> None:
    for fault in read.faults[:FAULTS_SHOWN_MAX]:
        told = f"{fault.where}: {fault.what}; {fault.next}"
        diagnostics.print(f"[yellow]left out[/yellow] {escape(told)}", soft_wrap=True)
    if len(read.faults) > FAULTS_SHOWN_MAX:
        more = len(read.faults) - FAULTS_SHOWN_MAX
        diagnostics.print(f"[dim]and {more} more; --output json has all[/dim]")


def _show_run(run: "EvaluationRun") -> None:
    counts, figures = run.figures["questions"], run.figures
    line(
        f"[bold]{run.id}[/bold] {counts['asked']} questions of {escape(run.source)}, "
        f"{counts['answered']} answered, {counts['failed']} failed"
    )
    for name, one in figures["scores"].items():
        low, high = one["interval"]
        line(f"  {name:24} {one['mean']:.3f}  [dim]{low:.3f}–{high:.3f}, {one['questions']}[/dim]")
    for name in ("precision", "recall", "f1") if figures["abstention"] else ():
        line(f"  {'abstention ' + name:24} {figures['abstention'][name]['value']:.3f}")
    for name, took in figures["latency_ms"].items():
        if took:
            line(f"  {name:24} {took['p50']:.0f} ms p50, {took['p95']:.0f} ms p95")


def _show_comparison(compared: "RunComparison") -> None:
    line(f"{compared.before} → {compared.after}, {compared.questions} questions")
    for name, one in compared.measures.items():
        low, high = one.interval
        sure = "bold" if low > 0 or high < 0 else "dim"
        line(
            f"  {name:24} {one.before:.3f} → {one.after:.3f}  [{sure}]{one.gain:+.3f}[/{sure}] "
            f"[dim]{low:+.3f} to {high:+.3f}, p {one.p:.3f}[/dim]  "
            f"{one.wins} won, {one.losses} lost, {one.ties} tied"
        )
    for row in compared.changed:
        told = f"{row['measure']} {row['before']:.2f} → {row['after']:.2f}"
        line(f"[dim]{told}[/dim] {escape(row['question'])}")
