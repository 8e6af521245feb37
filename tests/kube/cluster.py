"""A Kubernetes of two nodes on this machine: its programs as processes, in a folder of their own.

Addresses, the bridge `cni0` and the control group `kubepods` are fixed, so there is one at a time:
whoever starts it holds a lock. What a killed run left behind is removed before the next starts.
"""

import fcntl
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from string import Template

CACHE = Path(os.environ.get("SCOPS_CACHE_DIR") or Path.home() / ".cache" / "scops") / "kube"
BIN = CACHE / "1.37.2"
IMAGES = CACHE / "images"
RUN = CACHE / "run"
STATE = Path("/run/scops-kube")
FILES = Path(__file__).parent / "files"
KUBECTL = Path(sys.executable).with_name("kubectl")
NODES = ("node1", "node2")
PROGRAMS = [
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "kube-proxy",
    "coredns",
    "pause",
    "versitygw",
]
COMMANDS = ("containerd", "runc", "ctr", "etcd", "iptables", "ip", "openssl", "buildah")
READY_SECONDS = 120.0
STOP_SECONDS = 10.0
POLL_SECONDS = 0.25


def missing() -> str:
    """Returns why there can be no cluster here; nothing where there can."""
    if os.geteuid() != 0:
        return "a cluster needs root"
    absent = [name for name in COMMANDS if shutil.which(name) is None]
    absent += [name for name in PROGRAMS if not (BIN / name).exists()]
    return f"run `make setup-kube` for {', '.join(absent)}" if absent else ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that runs."""

    run: Path
    address: str
    tokens: dict[str, str] = field(repr=False)

    @property
    def config(self) -> Path:
        """The administrator's kubeconfig."""
        return self.run / "pki" / "admin.conf"

    def kubectl(self, *words: str, text: str = "", seconds: float = 300.0) -> str:
        """Returns what a command printed.

        Raises:
            AssertionError: it failed; with what it said.
        """
        done = self.attempt(*words, text=text, seconds=seconds)
        assert 0 == done.returncode, f"kubectl {' '.join(words)}: {done.stderr or done.stdout}"
        return done.stdout

    def attempt(
        self, *words: str, text: str = "", seconds: float = 300.0
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command that may fail."""
        return subprocess.run(
            [str(KUBECTL), "--kubeconfig", str(self.config), *words],
            input=text,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def load(self, *archives: Path) -> None:
        """Gives images to both nodes."""
        for node in NODES:
            for archive in archives:
                _ctr(node, "images", "import", str(archive))


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Starts a cluster, waits until its nodes are ready, and removes every trace at the end."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / ".cluster.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stop()
        try:
            yield _started()
        finally:
            if not os.environ.get("SCOPS_KUBE_KEEP"):
                stop()


def _started() -> Cluster:
    for name in ("logs", "pids", "cni", "pki"):
        (RUN / name).mkdir(parents=True)
    users = ("admin", "scheduler", "controllers", "proxy", *NODES)
    made = Cluster(RUN, _address(), {user: secrets.token_hex(16) for user in users})
    _make_keys(made)
    (RUN / "resolv.conf").write_text("nameserver 127.0.0.1\n")
    _fill("bridge.conflist", RUN / "cni" / "10-bridge.conflist", run=RUN)
    _fill("proxy.yaml", RUN / "proxy.yaml", run=RUN)
    _start_store_and_server(made)
    for node in NODES:
        _start_runtime(node)
    _load_images()
    until("the API server", partial(_answers, made, "get", "--raw", "/readyz"))
    _start_controllers()
    for place, node in enumerate(NODES):
        _start_kubelet(made, node, place)
    for node in NODES:
        until(node, partial(_answers, made, "get", "node", node))
        made.kubectl("wait", "--for=condition=Ready", f"node/{node}", "--timeout=120s")
    account = ("-n", "default", "get", "serviceaccount", "default")
    until("service accounts", partial(_answers, made, *account))
    made.kubectl("apply", "-f", str(FILES / "dns.yaml"))
    made.kubectl("-n", "kube-system", "rollout", "status", "deploy/coredns", "--timeout=120s")
    return made


def _answers(made: Cluster, *words: str) -> bool:
    return made.attempt(*words).returncode == 0


def until(what: str, holds: Callable[[], bool], *, seconds: float = READY_SECONDS) -> float:
    """Waits until something holds; returns after how many seconds it did."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < seconds, f"waited {seconds:.0f} s for {what}"
        time.sleep(POLL_SECONDS)
    return time.monotonic() - began


def _address() -> str:
    route = json.loads(_output("ip", "-j", "route", "show", "default"))
    shown = json.loads(_output("ip", "-j", "-4", "addr", "show", "dev", route[0]["dev"]))
    return str(shown[0]["addr_info"][0]["local"])


def _make_keys(made: Cluster) -> None:
    pki = RUN / "pki"
    _openssl("genrsa", "-out", "sa.key", "2048")
    _openssl("rsa", "-in", "sa.key", "-pubout", "-out", "sa.pub")
    self_signed = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30")
    _openssl(*self_signed, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=scops-tests")
    (pki / "client.ext").write_text("extendedKeyUsage=clientAuth\n")
    _openssl(
        *("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "kubelet-client.key"),
        *("-out", "kubelet-client.csr", "-subj", "/O=system:masters/CN=apiserver-kubelet"),
    )
    _openssl(
        *("x509", "-req", "-in", "kubelet-client.csr", "-CA", "ca.crt", "-CAkey", "ca.key"),
        *("-CAcreateserial", "-days", "30", "-extfile", "client.ext"),
        *("-out", "kubelet-client.crt"),
    )
    names = {
        "admin": 'admin,1,"system:masters"',
        "scheduler": "system:kube-scheduler,2",
        "controllers": "system:kube-controller-manager,3",
        "proxy": "system:kube-proxy,4",
        **{node: f'system:node:{node},{node},"system:nodes"' for node in NODES},
    }
    lines = [f"{made.tokens[user]},{name}\n" for user, name in names.items()]
    (pki / "tokens.csv").write_text("".join(lines))
    for user, token in made.tokens.items():
        values = {"run": RUN, "address": made.address, "user": user, "token": token}
        _fill("login.conf", pki / f"{user}.conf", **values)


def _start_store_and_server(made: Cluster) -> None:
    client, peer = "http://127.0.0.1:23790", "http://127.0.0.1:23800"
    _start(
        "etcd",
        *("etcd", "--data-dir", "etcd", "--unsafe-no-fsync", "--listen-client-urls", client),
        *("--advertise-client-urls", client, "--listen-peer-urls", peer),
    )
    _start(
        "apiserver",
        *(str(BIN / "kube-apiserver"), f"--etcd-servers={client}", "--cert-dir=pki/api"),
        *("--secure-port=16443", f"--advertise-address={made.address}"),
        *("--service-account-key-file=pki/sa.pub", "--allow-privileged=true"),
        "--service-account-signing-key-file=pki/sa.key",
        "--service-account-issuer=https://kubernetes.default.svc",
        *("--token-auth-file=pki/tokens.csv", "--client-ca-file=pki/ca.crt"),
        *("--authorization-mode=Node,RBAC", "--service-cluster-ip-range=10.96.0.0/16"),
        "--kubelet-client-certificate=pki/kubelet-client.crt",
        "--kubelet-client-key=pki/kubelet-client.key",
        "--kubelet-preferred-address-types=InternalIP",
    )


def _start_runtime(node: str) -> None:
    (RUN / node).mkdir()
    values = {"cache": CACHE, "run": RUN, "state": STATE, "node": node}
    _fill("containerd.toml", RUN / node / "containerd.toml", **values)
    _start(f"containerd-{node}", "containerd", "-c", f"{node}/containerd.toml")
    version = [*_ctr_words(node), "version"]
    until("containerd", lambda: subprocess.run(version, capture_output=True).returncode == 0)
    _end_containers(node)


def _load_images() -> None:
    """Gives the nodes the images that they lack; what they have outlives a cluster."""
    loaded = CACHE / "containerd" / "loaded"
    since = loaded.stat().st_mtime if loaded.exists() else 0.0
    for node in NODES:
        complete = set(_ctr(node, "images", "check", "--quiet").split())
        for archive in sorted(IMAGES.glob("*.tar")):
            if archive.stat().st_mtime > since or not complete.issuperset(_names(archive)):
                _ctr(node, "images", "import", str(archive))
    loaded.touch()


def _names(archive: Path) -> set[str]:
    """Returns the names of the images in an archive."""
    with tarfile.open(archive) as opened:
        manifest = opened.extractfile("manifest.json")
        assert manifest is not None, archive
        return {name for image in json.load(manifest) for name in image["RepoTags"]}


def _start_controllers() -> None:
    for name, user, flags in (
        ("kube-controller-manager", "controllers", CONTROLLER_FLAGS),
        ("kube-scheduler", "scheduler", ()),
    ):
        logins = ("kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig")
        words = [f"--{flag}=pki/{user}.conf" for flag in logins]
        fixed = ("--leader-elect=false", "--bind-address=127.0.0.1")
        _start(user, str(BIN / name), *words, *fixed, *flags)
    _start("proxy", str(BIN / "kube-proxy"), "--config=proxy.yaml")


CONTROLLER_FLAGS = (
    "--service-account-private-key-file=pki/sa.key",
    "--root-ca-file=pki/api/apiserver.crt",
    "--use-service-account-credentials",
)


def _start_kubelet(made: Cluster, node: str, place: int) -> None:
    group = f"/scops-{node}"
    for controller in _controllers():
        _make_group(controller, group)
    values = {"run": RUN, "state": STATE, "node": node, "address": made.address, "cgroup": group}
    ports = {"port": 10250 + 10 * place, "health": 10248 + 10 * place}
    _fill("kubelet.yaml", RUN / node / "kubelet.yaml", **values, **ports)
    _start(
        f"kubelet-{node}",
        *(str(BIN / "kubelet"), f"--config={node}/kubelet.yaml", f"--kubeconfig=pki/{node}.conf"),
        *(f"--hostname-override={node}", f"--node-ip={made.address}"),
        *(f"--root-dir={RUN}/{node}/kubelet", f"--cert-dir={RUN}/{node}/pki"),
    )


def _controllers() -> list[Path]:
    """Returns the root of each hierarchy of control groups: one a controller, or one for all."""
    root = Path("/sys/fs/cgroup")
    if (root / "cgroup.controllers").exists():
        return [root]
    return [each for each in root.iterdir() if each.is_dir() and not each.is_symlink()]


def _make_group(controller: Path, group: str) -> None:
    made = controller / group.lstrip("/")
    made.mkdir(exist_ok=True)
    for name in ("cpuset.cpus", "cpuset.mems"):
        if (controller / name).exists() and (controller / name).read_text().strip():
            (made / name).write_text((controller / name).read_text())
    # A group weighs as much as one process beside it, however many pods are in it.
    for name, weight in (("cpu.shares", 10 * 1024), ("cpu.weight", 10 * 100)):
        if (made / name).exists():
            (made / name).write_text(str(weight))


def _start(name: str, *words: str) -> None:
    with (RUN / "logs" / f"{name}.log").open("ab") as log:
        child = subprocess.Popen(
            words,
            cwd=RUN,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    (RUN / "pids" / name).write_text(str(child.pid))


def stop() -> None:
    """Ends every process of the cluster, its pods, and what they left on the machine."""
    for names in (("kubelet-", "scheduler", "controllers", "proxy"), ("apiserver", "etcd")):
        # The store is thrown away: an API server that stops gracefully takes ten seconds.
        hard = "etcd" in names
        _end(names, signal.SIGKILL if hard else signal.SIGTERM)
    for node in NODES:
        _end_containers(node)
    _end(("containerd-",), signal.SIGTERM)
    _end_what_is_left()
    _remove_rules()
    _remove_networks()
    _unmount()
    for group in _groups():
        words = ("find", str(group), "-depth", "-type", "d", "-exec", "rmdir", "{}", "+")
        subprocess.run(words, capture_output=True, check=False)
    for folder in (RUN, STATE):
        shutil.rmtree(folder, ignore_errors=True)


def _end(names: tuple[str, ...], with_signal: signal.Signals) -> None:
    found = [_pid(path) for path in sorted(RUN.glob("pids/*")) if path.name.startswith(names)]
    alive = [pid for pid in found if pid]
    for pid in alive:
        os.kill(pid, with_signal)
    deadline = time.monotonic() + STOP_SECONDS
    for pid in alive:
        while _runs_here(pid) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        if _runs_here(pid):
            os.kill(pid, signal.SIGKILL)


def _pid(path: Path) -> int:
    pid = int(path.read_text() or 0)
    return pid if pid and _runs_here(pid) else 0


def _runs_here(pid: int) -> bool:
    """Returns whether a process is one of the cluster's: numbers are given anew."""
    try:
        if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return False
        return Path(f"/proc/{pid}/cwd").resolve() == RUN
    except (FileNotFoundError, ProcessLookupError):
        return False


def _end_containers(node: str) -> None:
    if not (STATE / node / "containerd.sock").exists():
        return
    tasks = _listed(node, "tasks", "ls", "-q")
    for task in tasks:
        _listed(node, "tasks", "kill", "-s", "KILL", task)
    if tasks:
        time.sleep(1)
    for task in _listed(node, "tasks", "ls", "-q"):
        _listed(node, "tasks", "rm", "-f", task)
    for container in _listed(node, "containers", "ls", "-q"):
        _listed(node, "containers", "rm", container)


def _groups() -> list[Path]:
    made = [controller / f"scops-{node}" for controller in _controllers() for node in NODES]
    return [group for group in made if group.exists()]


def _end_what_is_left() -> None:
    """Ends what a run that was killed left: whatever is in our groups, and containerd's shims."""
    listed = [file for group in _groups() for file in group.rglob("cgroup.procs")]
    left = {int(pid) for file in listed for pid in file.read_text().split()}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (folder / "cwd").resolve().is_relative_to(STATE):
                left.add(int(folder.name))
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _listed(node: str, *words: str) -> list[str]:
    command = [*_ctr_words(node), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return []
    return done.stdout.split()


def _ctr(node: str, *words: str) -> str:
    done = subprocess.run([*_ctr_words(node), *words], check=True, capture_output=True, text=True)
    return done.stdout


def _ctr_words(node: str) -> list[str]:
    return ["ctr", "-a", str(STATE / node / "containerd.sock"), "-n", "k8s.io"]


def _remove_rules() -> None:
    """Removes the rules of kube-proxy; those of other programs stay."""
    for tool in ("iptables", "ip6tables"):
        saved = subprocess.run([f"{tool}-save"], capture_output=True, text=True, check=False)
        kept = [line for line in saved.stdout.splitlines() if "KUBE-" not in line]
        if len(kept) < len(saved.stdout.splitlines()):
            rules = "\n".join(kept) + "\n"
            subprocess.run([f"{tool}-restore"], input=rules, text=True, check=False)


def _remove_networks() -> None:
    """Removes the pods' network namespaces, known by their addresses, and the bridge."""
    for name in [line.split()[0] for line in _output("ip", "netns", "list").splitlines() if line]:
        if not name.startswith("cni-"):
            continue
        shown = ("ip", "-n", name, "-4", "-o", "addr", "show", "dev", "eth0")
        done = subprocess.run(shown, capture_output=True, text=True, check=False)
        if " 10.244.0." in done.stdout:
            subprocess.run(["ip", "netns", "del", name], check=False)
    subprocess.run(["ip", "link", "del", "cni0"], capture_output=True, check=False)


def _unmount() -> None:
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    ours = [each for each in mounted if each.startswith((f"{RUN}/", f"{STATE}/"))]
    for each in reversed(ours):
        subprocess.run(["umount", "--lazy", each], capture_output=True, check=False)


def _openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], cwd=RUN / "pki", check=True, capture_output=True)


def _output(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def _fill(name: str, target: Path, **values: object) -> None:
    target.write_text(Template((FILES / name).read_text()).substitute(values))
