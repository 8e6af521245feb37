"""What uv is told of package indexes is told to pip."""

from pathlib import Path

import pytest

from scops.libraries.embedder.uv_settings import pip_variables

FILE = """
find-links = ["/opt/wheels"]
[[index]]
url = "https://own.example/simple"
default = true
[[index]]
name = "inner-one"
url = "https://inner.example/simple"
[[index]]
name = "torch"
url = "https://torch.example/simple"
explicit = true
"""


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, {}),
        ({"UV_DEFAULT_INDEX": ""}, {}),
        ({"UV_DEFAULT_INDEX": "https://a/simple"}, {"PIP_INDEX_URL": "https://a/simple"}),
        ({"UV_DEFAULT_INDEX": "own=https://a/b?c=d"}, {"PIP_INDEX_URL": "https://a/b?c=d"}),
        ({"UV_INDEX_URL": "https://a/simple"}, {"PIP_INDEX_URL": "https://a/simple"}),
        (
            {"UV_INDEX": "own=https://a/s https://b/s", "UV_EXTRA_INDEX_URL": "https://c/s"},
            {"PIP_EXTRA_INDEX_URL": "https://a/s https://b/s https://c/s"},
        ),
        ({"UV_FIND_LINKS": "/a,/b"}, {"PIP_FIND_LINKS": "/a /b"}),
        ({"UV_INSECURE_HOST": "a.example"}, {"PIP_TRUSTED_HOST": "a.example"}),
        (
            {"UV_INDEX": "in-ner=https://a/s", "UV_INDEX_IN_NER_PASSWORD": "p@s"},
            {"PIP_EXTRA_INDEX_URL": "https://:p%40s@a/s"},
        ),
    ],
)
def test_variables_are_told(
    tmp_path: Path, variables: dict[str, str], expected: dict[str, str]
) -> None:
    """Each has one that means the same."""
    nowhere = {"XDG_CONFIG_HOME": str(tmp_path)}

    assert expected == pip_variables({**nowhere, **variables})


def test_the_users_file_is_told(tmp_path: Path) -> None:
    """The default index, further ones and folders; an explicit index is for other packages."""
    (tmp_path / "uv").mkdir()
    (tmp_path / "uv" / "uv.toml").write_text(FILE)
    told = pip_variables({"XDG_CONFIG_HOME": str(tmp_path), "UV_INDEX_INNER_ONE_USERNAME": "owl"})

    assert {
        "PIP_INDEX_URL": "https://own.example/simple",
        "PIP_EXTRA_INDEX_URL": "https://owl:@inner.example/simple",
        "PIP_FIND_LINKS": "/opt/wheels",
    } == told


def test_variables_go_before_files_and_a_chosen_file_before_the_users(tmp_path: Path) -> None:
    """As uv has it."""
    chosen = tmp_path / "chosen.toml"
    chosen.write_text('[pip]\nindex-url = "https://chosen.example/simple"')
    environ = {"UV_CONFIG_FILE": str(chosen)}
    shadowed = {**environ, "UV_DEFAULT_INDEX": "https://a/simple"}

    assert {"PIP_INDEX_URL": "https://chosen.example/simple"} == pip_variables(environ)
    assert {"PIP_INDEX_URL": "https://a/simple"} == pip_variables(shadowed)
    assert {} == pip_variables({**environ, "UV_NO_CONFIG": "1"})


def test_a_file_that_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    """What is wrong with it uv says to whoever uses uv."""
    broken = tmp_path / "uv.toml"
    broken.write_text("[[index")

    assert {} == pip_variables({"UV_CONFIG_FILE": str(broken)})
