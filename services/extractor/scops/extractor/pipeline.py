"""The version of the extraction: it is raised when the same body may give another text."""

from importlib.metadata import version

# Read without importing trafilatura, which only the worker processes need.
PIPELINE_VERSION = f"html-1+trafilatura-{version('trafilatura')}"
