"""What cert-manager does on a cluster, by hand: a secret for each certificate that is asked for."""

import base64
import json
from datetime import timedelta
from pathlib import Path

from tests.connected.kubernetes.conftest import definitions
from tests.fakes.certificates import DAY, Authority
from tests.kube.installation import Installation


class Certifier:
    """Signs what the `Certificate` resources of a namespace ask for.

    cert-manager's image is in no registry that a machine of tests reaches; its definitions are the
    published ones.
    """

    def __init__(self, scops: Installation, folder: Path) -> None:
        self._scops = scops
        self._folder = folder
        self._authority = Authority("scops-authority")
        for path in definitions():
            if path.name.startswith("cert-manager"):
                scops.cluster.kubectl("apply", "--server-side", "-f", str(path))
        established = ("wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
        scops.cluster.kubectl(*established)

    def sign(self, *, ends: timedelta = DAY) -> None:
        """Puts a new pair into each secret, which ends so long from now."""
        listed = json.loads(self._scops.kubectl("get", "certificates", "-o", "json"))
        for wanted in (item["spec"] for item in listed["items"]):
            pair = {"tls.crt": self._authority.pem, "tls.key": b""}
            if not wanted.get("isCA"):
                names = wanted["dnsNames"]
                files = self._authority.write(self._folder, names[0], hosts=names, ends=ends)
                pair = {file.name: file.read_bytes() for file in files}
            self._put(wanted["secretName"], pair)

    def _put(self, name: str, pair: dict[str, bytes]) -> None:
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name},
            "data": {key: base64.b64encode(value).decode() for key, value in pair.items()},
        }
        self._scops.kubectl("apply", "-f", "-", text=json.dumps(secret))
