"""The token that an authorization server grants to a client (RFC 6749 section 4.4)."""

import base64
import json
import re
from datetime import datetime, timedelta
from urllib.parse import quote_plus

from scops.fetcher.credentials.secret import Secret
from scops.fetcher.credentials.sessions import Session, SignInRefused
from scops.fetcher.ports.sign_in import SignInAnswer, SignInRequest

# Asked for anew before it ends: a request that is sent with it may take a while.
MARGIN = timedelta(seconds=60)
# RFC 6749 section 5.1: without `expires_in` nothing is said of its end.
UNSAID_LIFETIME = timedelta(hours=1)
LIFETIME_MAX = timedelta(days=30)
# RFC 6750 section 2.1.
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{1,8192}=*")
_ERROR = re.compile(r"[a-z_]{1,40}")


def grant_request(secret: Secret) -> SignInRequest:
    """Returns the request for a token; the client proves itself by Basic (section 2.3.1)."""
    fields = secret.fields
    form = [("grant_type", "client_credentials")]
    if fields["token_scope"]:
        form.append(("scope", fields["token_scope"]))
    pair = f"{quote_plus(fields['client_id'])}:{quote_plus(fields['client_secret'])}"
    proof = base64.b64encode(pair.encode()).decode()
    return SignInRequest(
        url=fields["token_url"],
        form=tuple(form),
        headers=(("Accept", "application/json"), ("Authorization", f"Basic {proof}")),
    )


def granted(answer: SignInAnswer, *, now: datetime) -> Session:
    """Returns the session that a token gives.

    Raises:
        SignInRefused: there is none in the answer. The message has nothing of it but its status
            and the error's code.
    """
    told = _told(answer)
    token, kind = told.get("access_token"), told.get("token_type", "")
    if answer.status != 200 or not isinstance(token, str) or not _TOKEN.fullmatch(token):
        code = told.get("error")
        said = code if isinstance(code, str) and _ERROR.fullmatch(code) else "no token"
        raise SignInRefused(
            f"The token's server answered {answer.status}: {said}. Check the client's id, its "
            "secret and its scope, and put the credential again."
        )
    if str(kind).lower() != "bearer":
        raise SignInRefused(
            "The token's server gave a token that is no bearer token (RFC 6750); no other kind "
            "can be sent."
        )
    lasts = _lifetime(told.get("expires_in"))
    ends = now + max(lasts - MARGIN, lasts / 2)
    return Session(headers=(("Authorization", f"Bearer {token}"),), expire_time=ends)


def _told(answer: SignInAnswer) -> dict[str, object]:
    try:
        told = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _lifetime(seconds: object) -> timedelta:
    """Returns how long a token lasts; some servers write the number as a text."""
    try:
        lasts = float(seconds)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return UNSAID_LIFETIME
    if not lasts > 0:
        return UNSAID_LIFETIME
    return timedelta(seconds=min(lasts, LIFETIME_MAX.total_seconds()))
