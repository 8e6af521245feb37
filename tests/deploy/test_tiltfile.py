"""The Tiltfile, read as Python with stand-ins for Tilt: it was never run by Tilt itself."""

import ast
from collections.abc import Callable
from typing import Any

from scops.common.contract.service_table import Role
from tests.deploy.manifests import OVERLAYS, ROOT, workloads

TILTFILE = ROOT / "Tiltfile"
FUNCTIONS = (
    "allow_k8s_contexts",
    "docker_build",
    "local_resource",
    "kustomize",
    "k8s_yaml",
    "k8s_resource",
    "ci_settings",
)


class _Config:
    """Tilt's `config`."""

    def __init__(self, chosen: list[str]) -> None:
        self._chosen = chosen
        self.enabled: list[str] = []

    def define_string_list(self, name: str, *, args: bool, usage: str) -> None:
        assert (name, args) == ("only", True)

    def parse(self) -> dict[str, list[str]]:
        return {"only": self._chosen} if self._chosen else {}

    def set_enabled_resources(self, names: list[str]) -> None:
        self.enabled = names


def _run(*chosen: str) -> tuple[dict[str, list[tuple[Any, dict[str, Any]]]], _Config]:
    """Runs the file; returns the calls by function."""
    calls: dict[str, list[tuple[Any, dict[str, Any]]]] = {name: [] for name in FUNCTIONS}

    def stand_in(name: str) -> Callable[..., str]:
        def called(*words: Any, **named: Any) -> str:
            calls[name].append((words, named))
            return str(words[0]) if words else ""

        return called

    config = _Config(list(chosen))
    names: dict[str, Any] = {name: stand_in(name) for name in FUNCTIONS}
    names |= {"config": config, "TRIGGER_MODE_MANUAL": "manual", "__builtins__": {}}
    exec(compile(TILTFILE.read_text(), str(TILTFILE), "exec"), names)
    return calls, config


def test_it_uses_nothing_that_starlark_lacks() -> None:
    """No import, class, while, try or lambda with statements; no f-string."""
    tree = ast.parse(TILTFILE.read_text())
    lacking = (
        ast.Import,
        ast.ImportFrom,
        ast.ClassDef,
        ast.While,
        ast.Try,
        ast.With,
        ast.JoinedStr,
    )

    assert [] == [node for node in ast.walk(tree) if isinstance(node, lacking)]


def test_every_workload_is_a_resource_and_every_resource_a_workload() -> None:
    """What the overlay deploys is what Tilt shows."""
    calls, _ = _run()
    named = {words[0] for words, _ in calls["k8s_resource"]}

    assert {each["metadata"]["name"] for each in workloads(OVERLAYS[1])} == named
    assert {role.value for role in Role} < named


def test_dependencies_are_resources() -> None:
    """A misspelt dependency is an error in Tilt."""
    calls, _ = _run()
    known = {words[0] for name in ("k8s_resource", "local_resource") for words, _ in calls[name]}
    needed = {each for _, named in calls["k8s_resource"] for each in named.get("resource_deps", ())}

    assert needed <= known


def test_what_it_builds_and_watches_exists() -> None:
    """Paths are relative to the Tiltfile."""
    calls, _ = _run()
    ((words, named),) = calls["docker_build"]
    paths = [named["dockerfile"], *named["only"], calls["kustomize"][0][0][0]]
    paths += [path for _, each in calls["local_resource"] for path in each.get("deps", ())]

    assert "scops" == words[0]
    assert [] == [path for path in paths if not (ROOT / path).exists()]


def test_some_roles_can_be_chosen() -> None:
    """`tilt up fetcher` runs it with the stores that every role needs."""
    _, config = _run("fetcher")

    assert {"fetcher", "provision", "nats", "postgres", "weaviate"} < set(config.enabled)
    assert "gateway" not in config.enabled
