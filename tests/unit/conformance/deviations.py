"""Cases of the conformance suites that do not pass, each with its reason.

A case that is here and passes fails the test, and so does one that fails and is not here.
"""

NO_REQUEST = "An empty URL is none: nothing is ever asked about it."
ENCODED = (
    "URLs are asked about in their canonical form, which is percent-encoded; a browser's is too."
)
UNRESERVED = (
    "RFC 9309 section 2.2.2 unescapes what need not be escaped before it compares, and names "
    "this very path as a match; Google's parser leaves it."
)
TOO_LONG = "The URL is longer than 2,000 characters, which is more than we ever request."
NO_CLIENT = (
    "A cache that answers its clients passes their conditions on or answers them itself; the "
    "fetcher has no clients, and sends the validators that it stored and nothing else."
)
AS_IT_CAME = (
    "An ETag without quotes is none by RFC 9110; it goes back as it came, since the server that "
    "made it compares it with itself."
)
SCRIPTED = "The declaration is written by a script, and scripts are not run."

ROBOTSTXT = {
    "GoogleOnly_SystemTest:1": NO_REQUEST,
    "GoogleOnly_SystemTest:2": NO_REQUEST,
    "GoogleOnly_SystemTest:4": NO_REQUEST,
    "ID_Encoding:3": ENCODED,
    "ID_Encoding:5": ENCODED,
    "ID_Encoding:6": UNRESERVED,
    "GoogleOnly_LineTooLong:4": TOO_LONG,
    "GoogleOnly_LineTooLong:5": TOO_LONG,
}

URLTESTDATA: dict[str, str] = {}

HTTP_CACHE_CONDITIONAL = {
    "conditional-etag-precedence": NO_CLIENT,
    "conditional-etag-quoted-respond-unquoted": NO_CLIENT,
    "conditional-etag-unquoted-respond-quoted": NO_CLIENT,
    "conditional-etag-strong-respond-multiple-first": NO_CLIENT,
    "conditional-etag-strong-respond-multiple-second": NO_CLIENT,
    "conditional-etag-strong-respond-multiple-last": NO_CLIENT,
    "conditional-etag-vary-headers": NO_CLIENT,
    "conditional-etag-vary-headers-mismatch": NO_CLIENT,
    "conditional-etag-strong-generate-unquoted": AS_IT_CAME,
    "conditional-etag-forward": NO_CLIENT,
    "conditional-etag-forward-unquoted": NO_CLIENT,
    "conditional-lm-fresh-earlier": NO_CLIENT,
    "conditional-lm-fresh-no-lm": NO_CLIENT,
    "conditional-lm-fresh-rfc850": NO_CLIENT,
}

HTML5LIB_ENCODING = {"scripted/tests1.dat:1": SCRIPTED}

DEVIATIONS = {
    "robotstxt": ROBOTSTXT,
    "urltestdata": URLTESTDATA,
    "http_cache_conditional": HTTP_CACHE_CONDITIONAL,
    "html5lib_encoding": HTML5LIB_ENCODING,
}
