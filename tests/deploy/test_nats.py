"""The server's configuration, read by the server itself, with the users of the service table."""

import re
import subprocess
from pathlib import Path

import yaml

from scops.common.bus.admin.permissions import users
from scops.common.bus.embedded.nats_child import find_binary
from scops.standalone.process.nats_users import authorization
from tests.deploy.manifests import BASE, DEPLOY, compose, documents, named, pod

CONFIG = BASE / "nats.conf"


def _mounts() -> dict[str, str]:
    (container,) = pod(named(BASE, "StatefulSet", "nats"))["containers"]
    return {each["name"]: each["mountPath"] for each in container["volumeMounts"]}


def test_the_server_takes_its_configuration_with_the_users(tmp_path: Path) -> None:
    """`nats-server -t`, with the folders laid as the pod mounts them."""
    mounts = _mounts()
    config, included = (tmp_path / mounts[name].strip("/") for name in ("config", "users"))
    for folder in (config, included, tmp_path / "data"):
        folder.mkdir(parents=True)
    text = CONFIG.read_text().replace('"/data"', f'"{tmp_path / "data"}"')
    (config / "nats.conf").write_text(text)
    (included / "users.conf").write_text(authorization(tmp_path / "passwords", create=True))
    command = [find_binary(), "-t", "--config", str(config / "nats.conf")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert 0 == done.returncode, done.stderr
    assert "test succeeded" in done.stderr + done.stdout or "is valid" in done.stderr + done.stdout


def test_without_the_users_the_server_does_not_start(tmp_path: Path) -> None:
    """A secret that is missing must not open the bus to everybody."""
    (tmp_path / "nats.conf").write_text(CONFIG.read_text())
    command = [find_binary(), "-t", "--config", str(tmp_path / "nats.conf")]

    assert 0 != subprocess.run(command, capture_output=True, check=False).returncode


def test_the_data_lies_on_the_volume() -> None:
    """What is acknowledged outlives the pod."""
    store = re.search(r'store_dir: "(.+)"', CONFIG.read_text())
    assert store is not None

    assert _mounts()["data"] == store[1]


def test_compose_mounts_the_same_file_in_the_same_places() -> None:
    """One configuration for both."""
    volumes = [volume.split(":")[:2] for volume in compose()["services"]["nats"]["volumes"]]
    places = {place: source for source, place in volumes}
    mounts = _mounts()

    assert CONFIG == (DEPLOY / places[f"{mounts['config']}/nats.conf"]).resolve()
    assert "secrets-nats" == places[mounts["users"]]
    assert mounts["data"] in places


def test_every_user_has_its_password_in_the_cluster() -> None:
    """Who connects is in the table, and the other way round."""
    names = {one.user for one in users()}
    used = set()
    for each in ("Deployment", "Job"):
        text = yaml.safe_dump(documents(BASE, each))
        used |= set(re.findall(r"key: ([a-z-]+)\n\s+name: scops-nats-passwords", text))

    assert names == used
