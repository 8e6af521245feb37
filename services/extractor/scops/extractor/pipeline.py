"""The version of the extraction: it is raised when the same body may give another text."""

from importlib.metadata import version

# Raised by hand with our own code; of the libraries, those whose word decides what is text.
OWN_VERSION = 7
_LIBRARIES = ("trafilatura", "resiliparse", "pypdfium2", "mammoth", "odfdo", "markdown-it-py")

# Read without importing the libraries, which only the worker processes need.
PIPELINE_VERSION = "+".join(
    (f"extract-{OWN_VERSION}", *(f"{name}-{version(name)}" for name in _LIBRARIES))
)
