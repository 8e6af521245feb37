"""`scops keyphrases`, as it is typed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scops.standalone.app import command_tree
from scops.standalone.commands.papers.search import _keyphrases
from scops.standalone.terminal.exits import CommandError

QUESTION = "How does soil moisture influence the risk of forest fires?"
RUNNER = CliRunner()


def run(*words: str, stdin: str = "") -> list[str]:
    result = RUNNER.invoke(command_tree(["keyphrases"]), ["keyphrases", *words], input=stdin)
    assert 0 == result.exit_code, result.output
    return [one["text"] for one in json.loads(result.stdout)["keyphrases"]]


def test_a_question_gives_its_phrases(tmp_path: Path) -> None:
    file = tmp_path / "question.txt"
    file.write_text(QUESTION)

    assert {"soil moisture influence", "forest fires", "risk"} == set(run(QUESTION))
    assert run(QUESTION) == run("--file", str(file)) == run("-", stdin=QUESTION)
    assert 1 == len(run(QUESTION, "--limit", "1"))


@pytest.mark.parametrize("words", [(), ("text", "--file", "also.txt"), ("--file", "absent.txt")])
def test_a_text_is_named_once_and_can_be_read(words: tuple[str, ...]) -> None:
    result = RUNNER.invoke(command_tree(["keyphrases"]), ["keyphrases", *words])

    assert isinstance(result.exception, CommandError)
    assert result.exception.reason in {"TEXT_OR_FILE", "TEXT_UNREADABLE"}


def test_papers_are_searched_by_them_and_they_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    found = _keyphrases(QUESTION, 2)

    assert "forest fires" in found
    assert found in capsys.readouterr().err


def test_words_without_phrases_are_refused() -> None:
    with pytest.raises(CommandError, match="no phrases"):
        _keyphrases("of the", 2)
