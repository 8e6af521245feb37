"""Pages of the sites that research is tried on."""

FILLER = (
    "Every gauge on the river is read twice a day, and its keeper writes down the level together "
    "with the weather, so that floods of other years can be compared with it."
)


def page(title: str, *parts: str) -> str:
    """Builds a page of some paragraphs, and one more that answers nothing."""
    body = "".join(f"<p>{part}</p>" for part in (*parts, FILLER))
    return (
        f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1>{body}</main></body>"
    )


def to(path: str, words: str) -> str:
    """Builds a link."""
    return f'<a href="{path}">{words}</a>'
