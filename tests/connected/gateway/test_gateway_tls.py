"""The real gRPC server behind TLS: what it shows, what it takes anew, and what it refuses."""

import asyncio
import json
import os
import ssl
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
from cryptography.x509 import load_pem_x509_certificate
from cryptography.x509.oid import NameOID
from pydantic import ValidationError

from scops.api.v1alpha1 import identity_service_pb2 as identity
from scops.api.v1alpha1 import identity_service_pb2_grpc
from scops.common.contract.errors import InvalidInput
from scops.gateway.settings import GatewaySettings
from scops.standalone.terminal.exits import Exit
from tests.connected.gateway.calls import failed
from tests.fakes.certificates import Authority
from tests.fakes.worlds.gateway import served_gateway

ASK = identity.WhoAmIRequest()


def tls(files: tuple[Path, Path]) -> dict[str, Any]:
    return {"tls": "on", "tls_certificate": files[0], "tls_key": files[1]}


def shown(address: str) -> str:
    """Returns the name in the certificate that a new connection is shown."""
    host, _, port = address.rpartition(":")
    pem = ssl.get_server_certificate((host, int(port)))
    subject = load_pem_x509_certificate(pem.encode()).subject
    return str(subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)


async def test_calls_are_encrypted_and_plain_ones_refused(tmp_path: Path) -> None:
    """By whoever trusts the authority of its certificate, and nobody else."""
    authority = Authority()
    async with served_gateway(tmp_path, **tls(authority.write(tmp_path))) as served:
        address = served.gateway.address
        trusted = grpc.ssl_channel_credentials(authority.pem)
        async with grpc.aio.secure_channel(address, trusted) as channel:
            who = await identity_service_pb2_grpc.IdentityServiceStub(channel).WhoAmI(ASK)
        other = grpc.ssl_channel_credentials(Authority("another").pem)
        async with grpc.aio.secure_channel(address, other) as channel:
            stub = identity_service_pb2_grpc.IdentityServiceStub(channel)
            untrusted = await failed(stub.WhoAmI(ASK, timeout=5))
        plain = await failed(served.identity.WhoAmI(ASK, timeout=5))

    assert "local" == who.principal
    assert {grpc.StatusCode.UNAVAILABLE} == {untrusted.code(), plain.code()}


async def test_a_renewed_certificate_is_shown_without_a_restart(tmp_path: Path) -> None:
    """While the key is of another one, what was good stays."""
    authority = Authority()
    files = authority.write(tmp_path, "first")
    async with served_gateway(tmp_path, **tls(files)) as served:
        address, seen = served.gateway.address, []
        seen.append(shown(address))
        first_key = files[1].read_bytes()
        authority.write(tmp_path, "second")
        second_key = files[1].read_bytes()
        for key in (first_key, b"", second_key):
            files[1].write_bytes(key)
            seen.append(shown(address))

    assert ["first", "first", "first", "second"] == seen


async def test_http_is_encrypted_with_the_same_certificate(tmp_path: Path) -> None:
    """By whoever trusts its authority; a renewed one is shown without a restart."""
    authority = Authority()
    files = authority.write(tmp_path, "first")
    async with served_gateway(tmp_path, **tls(files)) as served:
        address = served.gateway.http_address
        trusted = ssl.create_default_context(cadata=authority.pem.decode())
        async with aiohttp.ClientSession() as session:
            async with session.get(f"https://{address}/v1/me", ssl=trusted) as answered:
                who = await answered.json()
            with pytest.raises(aiohttp.ClientConnectorCertificateError):
                await session.get(f"https://{address}/v1/me")
            with pytest.raises(aiohttp.ClientError):
                await session.get(f"http://{address}/v1/me")
        seen = [await asyncio.to_thread(shown, address)]
        first_key = files[1].read_bytes()
        authority.write(tmp_path, "second")
        second_key = files[1].read_bytes()
        for key in (first_key, b"", second_key):
            files[1].write_bytes(key)
            seen.append(await asyncio.to_thread(shown, address))

    assert "local" == who["principal"]
    assert ["first", "first", "first", "second"] == seen


async def test_an_expired_certificate_heals_when_it_is_renewed(tmp_path: Path) -> None:
    """Callers refuse it; those that go on asking are answered, and the gateway goes on."""
    authority = Authority()
    files = authority.write(tmp_path, ends=timedelta(hours=-1))
    async with served_gateway(tmp_path, **tls(files)) as served:
        trusted = grpc.ssl_channel_credentials(authority.pem)
        context = ssl.create_default_context(cadata=authority.pem.decode())
        url = f"https://{served.gateway.http_address}/v1/me"
        async with (
            grpc.aio.secure_channel(served.gateway.address, trusted) as channel,
            aiohttp.ClientSession() as session,
        ):
            stub = identity_service_pb2_grpc.IdentityServiceStub(channel)
            refused = await failed(stub.WhoAmI(ASK, timeout=5))
            with pytest.raises(aiohttp.ClientConnectorCertificateError, match="expired"):
                await session.get(url, ssl=context)
            authority.write(tmp_path)
            who = await stub.WhoAmI(ASK, timeout=20, wait_for_ready=True)
            async with session.get(url, ssl=context) as answered:
                by_http = await answered.json()

    assert grpc.StatusCode.UNAVAILABLE == refused.code()
    assert ("local", "local") == (who.principal, by_http["principal"])


@pytest.mark.parametrize("broken", ["absent", "no PEM", "of another"])
async def test_a_certificate_that_cannot_be_used_is_refused(tmp_path: Path, broken: str) -> None:
    """At the start, by the names of the settings."""
    certificate, key = Authority().write(tmp_path)
    if broken == "absent":
        key.unlink()
    elif broken == "no PEM":
        certificate.write_text("certificate")
    else:
        other = tmp_path / "other"
        other.mkdir()
        key = Authority().write(other)[1]
    with pytest.raises(InvalidInput, match="SCOPS_GATEWAY_TLS_CERTIFICATE"):
        async with served_gateway(tmp_path, **tls((certificate, key))):
            pass


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "gateway", "::ffff:192.0.2.1"])
@pytest.mark.parametrize(
    ("values", "lacks"),
    [
        ({}, ("IDENTITY=required", "TLS=on")),
        ({"identity": "required"}, ("TLS=on",)),
        ({"tls": "terminated-upstream"}, ("IDENTITY=required",)),
    ],
)
async def test_nobody_else_reaches_a_gateway_without_identity_and_tls(
    tmp_path: Path, host: str, values: dict[str, Any], lacks: tuple[str, ...]
) -> None:
    """It does not bind, and says what it lacks."""
    with pytest.raises(InvalidInput, match="is not opened") as caught:
        async with served_gateway(tmp_path, host=host, **values):
            pass

    assert all(f"SCOPS_GATEWAY_{name}" in caught.value.message for name in lacks)


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
async def test_behind_a_proxy_that_ends_tls_it_is_plain(tmp_path: Path, host: str) -> None:
    """With identity, where others may reach it."""
    values = {"identity": "required", "tls": "terminated-upstream"}
    async with served_gateway(tmp_path, host=host, **values) as served:
        address = f"127.0.0.1:{served.gateway.server.port}"
        async with grpc.aio.insecure_channel(address) as channel:
            who = await identity_service_pb2_grpc.IdentityServiceStub(channel).WhoAmI(ASK)

    assert "anonymous" == who.principal


@pytest.mark.parametrize(
    "values", [{"tls": "on"}, {"tls_key": Path("key")}, {"tls": "on", "tls_key": Path("key")}]
)
def test_half_of_what_tls_takes_is_refused(values: dict[str, Any]) -> None:
    """One setting without the others would leave the door as it was."""
    with pytest.raises(ValidationError, match="belong together"):
        GatewaySettings(**values)


async def test_the_command_asks_by_tls(tmp_path: Path) -> None:
    """With an authority of one's own by its option; without it, it says which option."""
    authority = Authority()
    file = tmp_path / "authority.pem"
    file.write_bytes(authority.pem)
    async with served_gateway(tmp_path, **tls(authority.write(tmp_path))) as served:
        server = ("--server", f"https://{served.gateway.address}")
        trusted = await command(*server, "--ca", str(file), "whoami")
        system = await command(*server, "whoami")
        plain = await command("--server", served.gateway.address, "whoami")

    assert (Exit.OK, "local") == (trusted[0], json.loads(trusted[1])["principal"])
    assert Exit.UNAVAILABLE == system[0] == plain[0]
    assert "--ca" in system[1]
    assert "https://" in plain[1]


async def command(*words: str) -> tuple[int | None, str]:
    """Runs a command; returns its exit code and what it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCOPS_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scops.standalone", *words),
        env=kept,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    return process.returncode, out.decode()
