"""Scops on the cluster of tests: its pods, its commands, and searches that go on meanwhile."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from tests.e2e.postgresql_doc import root as manual_root
from tests.kube import documented
from tests.kube.cluster import FILES, Cluster, until

Job = dict[str, Any]
ROLES = ["gateway", "fetcher", "extractor", "change-detector", "indexer", "retriever", "explainer"]
STORES = {"nats": 10001, "postgres": 999, "weaviate": 10001, "bucket": 10001}
ARCHIVE_MEBIBYTES = 256
SITE = "http://10.96.0.80/docs/15"
ENDED = ("STATE_COMPLETED", "STATE_FAILED", "STATE_CANCELLED")
JOB_SECONDS = 900.0
ROLLED_SECONDS = 600.0
# Where the key of the first administrator is kept, and what a shell says before it.
TOKEN, SAID = "first-key", "the key is "
SAY_TOKEN = f'echo "{SAID}$SCOPS_TOKEN"'
# A measurement begins and ends with some searches of a system at rest.
REST_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Searches:
    """Searches of a while: how many were asked, and what went wrong."""

    asked: int
    errors: tuple[str, ...]
    slowest_seconds: float

    @property
    def answered(self) -> float:
        """The share that was answered with passages."""
        return 1 - len(self.errors) / self.asked

    def __str__(self) -> str:
        """What a report says of them."""
        return (
            f"{self.asked} searches, {len(self.errors)} not answered "
            f"({100 * self.answered:.2f} %), the slowest after {self.slowest_seconds:.1f} s"
        )


@dataclass(frozen=True, slots=True)
class Installation:
    """Scops, brought up by the commands of the guide."""

    cluster: Cluster
    folder: Path

    @property
    def token(self) -> str:
        """The key of the first administrator, once the guide's commands have made it."""
        return (self.folder / TOKEN).read_text()

    def keep_token(self, printed: str) -> None:
        """Keeps what a reader would have in their shell from now on."""
        (self.folder / TOKEN).write_text(printed.rpartition(SAID)[2].strip())

    def kubectl(self, *words: str, **options: Any) -> str:
        """Runs a command in the namespace."""
        return self.cluster.kubectl("-n", "scops", *words, **options)

    def scops(self, *words: str, seconds: float = 300.0) -> Any:
        """Returns what the command in a gateway's pod printed for programs.

        It is asked again where the pod is being replaced: a reader would do the same.
        """
        deadline = time.monotonic() + seconds
        while True:
            ours = ("env", f"SCOPS_TOKEN={self.token}", "scops", "--output", "json")
            command = ("exec", "deploy/gateway", "--", *ours, *words)
            done = self.cluster.attempt("-n", "scops", *command, seconds=seconds)
            if done.returncode == 0:
                return json.loads(done.stdout or "null")
            assert time.monotonic() < deadline, done.stderr
            time.sleep(1)

    def crawl(self, *urls: str) -> str:
        """Starts a crawl; returns its job."""
        words = [word for url in urls for word in ("--url", url)]
        return str(self.scops("crawl", "manual", *words)["name"])

    def job(self, name: str) -> Job:
        """Returns a job's state and counts."""
        return dict(self.scops("job", "show", name)["job"])

    def wait_job(self, name: str, *, seconds: float = JOB_SECONDS) -> Job:
        """Waits until a job has ended; returns it."""
        until(name, lambda: self.job(name)["state"] in ENDED, seconds=seconds)
        return self.job(name)

    def rolled(self, *names: str) -> None:
        """Waits until deployments stand as they should."""
        for name in names or ROLES:
            waited = f"--timeout={ROLLED_SECONDS:.0f}s"
            self.kubectl("rollout", "status", f"deploy/{name}", waited, seconds=ROLLED_SECONDS + 10)

    def pods(self, component: str = "") -> list[str]:
        """Returns the names of the pods of a role, or of all roles, that are not being ended."""
        label = f",app.kubernetes.io/component={component}" if component else ""
        words = ("get", "pods", "-l", f"app.kubernetes.io/name=scops{label}", "-o", "json")
        items = json.loads(self.kubectl(*words))["items"]
        kept = [each["metadata"] for each in items if "deletionTimestamp" not in each["metadata"]]
        return [str(each["name"]) for each in kept]

    def use(self, image: str, roles: Sequence[str] = ROLES) -> None:
        """Replaces roles one by one, the gateway first, as the guide says."""
        for role in roles:
            self.kubectl("set", "image", f"deploy/{role}", f"scops={image}")
            self.rolled(role)

    def stores_are_ready(self) -> None:
        """Waits until the four stores stand as they should."""
        for store in STORES:
            rolled = ("rollout", "status", f"statefulset/{store}", "--timeout=280s")
            self.kubectl(*rolled, seconds=300)

    def ready(self) -> bool:
        """Returns whether every replica of every role is ready."""
        items = json.loads(self.kubectl("get", "deploy", "-o", "json"))["items"]
        states = [each["status"] for each in items]
        return all(state.get("readyReplicas", 0) == state["replicas"] for state in states)

    def problems(self, role: str) -> str:
        """Returns what `/readyz` of a role says, by the guide's last command."""
        lines = documented.step(5).splitlines()
        (asked,) = [line for line in lines if "readyz" in line]
        line = asked.replace("deploy/indexer", f"deploy/{role}")
        return documented.run(line, made=self.cluster, folder=self.folder)

    @contextmanager
    def searches(self) -> Iterator[list[Searches]]:
        """Counts the searches that were asked inside of the block."""
        counted: list[Searches] = []
        time.sleep(REST_SECONDS)
        began = time.time()
        yield counted
        time.sleep(REST_SECONDS)
        ended = time.time()
        # What was asked last may take its whole deadline.
        time.sleep(15)
        log = self.kubectl("logs", "load", "--since", f"{int(time.time() - began) + 30}s")
        lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
        asked = [line for line in lines if began <= line["began"] <= ended]
        assert asked, "nothing was asked meanwhile"
        errors = tuple(line["error"] for line in asked if line["error"])
        counted.append(Searches(len(asked), errors, max(line["seconds"] for line in asked)))


def install(made: Cluster, folder: Path) -> Installation:
    """Brings Scops up with the commands of the guide, from the image to ready roles."""
    _make_volumes(made)
    documented.checkout(folder)
    site = Template((FILES / "site.yaml").read_text()).substitute(manual=manual_root() / "html")
    made.kubectl("apply", "-f", "-", text=site)
    if not os.environ.get("SCOPS_KUBE_IMAGE_READY"):
        documented.run(documented.loading(), made=made, folder=folder)
    for number in (2, 4):
        documented.run(documented.step(number), made=made, folder=folder)
    return Installation(made, folder)


def _make_volumes(made: Cluster) -> None:
    for name, owner in STORES.items():
        path = made.run / "volumes" / name
        path.mkdir(parents=True)
        if name == "bucket":
            # A disk of its own, so that it can be full.
            size = f"size={ARCHIVE_MEBIBYTES}m"
            mount = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(path)]
            subprocess.run(mount, check=True)
        shutil.chown(path, owner, owner)
        volume = (FILES / "volume.yaml").read_text()
        made.kubectl("apply", "-f", "-", text=Template(volume).substitute(name=name, path=path))


def start_searches(scops: Installation) -> None:
    """Starts a pod that asks the gateway until the cluster ends."""
    script = f"--from-file={FILES / 'load.py'}"
    scops.kubectl("create", "configmap", "load", script, f"--from-literal=token={scops.token}")
    scops.cluster.kubectl("apply", "-f", str(FILES / "load.yaml"))
    scops.kubectl("wait", "--for=condition=Ready", "pod/load", "--timeout=120s")


def nothing_is_lost(job: Job, pages: int) -> None:
    """Checks that a crawl of some pages has ended with an outcome for each."""
    counts = {name: int(count) for name, count in job["counts"].items()}

    assert "STATE_COMPLETED" == job["state"]
    assert 0 == counts.get("dead", 0) + counts.get("blocked", 0) + counts.get("open", 0)
    # A page that joined the fetch of another crawl has that one's outcome besides.
    assert pages == sum(counts.values()) - counts.get("joined", 0)


def report(what: str, searches: Searches | None = None, job: Job | None = None) -> None:
    """Prints what an operation cost."""
    pages = {name: count for name, count in job["counts"].items() if int(count)} if job else ""
    print(f"FIGURE {what}: {searches or ''} {pages}")
