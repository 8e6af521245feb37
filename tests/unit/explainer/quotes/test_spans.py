"""Which spans of a passage can be quoted."""

from dataclasses import replace

from scops.explainer.quotes.spans import CHARACTERS_MAX, Quote, join_quotes, quotes_of
from tests.fakes.worlds.explainer import passage_of, version_of
from tests.fakes.worlds.indexed_pages import PageText, Span, in_one_chunk, page_of

URL = "https://docs.example.org/a"


def _quotes(*paragraphs: str) -> list[Quote]:
    page = in_one_chunk(page_of(URL, *paragraphs, title="Guide"))
    return list(quotes_of(0, passage_of(page), version_of(page)))


def _texts(*paragraphs: str) -> list[str]:
    return [quote.text for quote in _quotes(*paragraphs)]


def test_sentences_are_quoted_one_by_one() -> None:
    """Every sentence is a quote of its own, in reading order."""
    assert ["Owls hunt at night.", "Mice hide in the grass."] == _texts(
        "Owls hunt at night. Mice hide in the grass."
    )


def test_quote_is_the_text_at_its_offsets() -> None:
    """Invariant 5, counted in code points beyond the basic plane too."""
    page = in_one_chunk(page_of(URL, "🦉🦉 Owls hunt at night. 𝔐ice hide in the grass 🐁."))
    quotes = list(quotes_of(0, passage_of(page), version_of(page)))

    assert 2 == len(quotes)
    assert [quote.text for quote in quotes] == [page.text[q.start : q.end] for q in quotes]


def test_sentence_that_points_back_is_quoted_with_the_one_before() -> None:
    """A pronoun must not hang in the air; a chain of them reaches back to its start."""
    assert [
        "The harness is inspected.",
        "The harness is inspected. It bears a label.",
        "The harness is inspected. It bears a label. This shows the year.",
    ] == _texts("The harness is inspected. It bears a label. This shows the year.")


def test_sentence_points_back_across_a_paragraph_but_not_a_heading() -> None:
    """The paragraph before is what it points to; a heading begins anew."""
    quotes = _texts("Owls hunt at night.", "They sleep by day.", "# Mice", "They hide in grass.")

    assert ["Owls hunt at night.", "Owls hunt at night.\n\nThey sleep by day."] == quotes[:2]
    assert ["They hide in grass."] == quotes[2:]


def test_first_sentence_after_a_question_is_quoted_with_it() -> None:
    """A bare `No.` says nothing without its question; the question alone answers nothing."""
    assert ["May I paint it?\n\nPlease do not.", "White paint warms the screen."] == _texts(
        "# May I paint it?", "Please do not. White paint warms the screen."
    )


def test_announced_list_is_quoted_with_its_announcement() -> None:
    """What ends in a colon is not complete."""
    quotes = _texts("Two formats are read:", "- plain text", "- hypertext", "Others are not read.")

    assert "Two formats are read:\n\nplain text\n\nhypertext" == quotes[0]
    assert "Others are not read." == quotes[-1]


def test_long_list_is_quoted_as_far_as_it_fits() -> None:
    """A quote never exceeds its bound."""
    items = [f"- item {number} {'word ' * 20}".rstrip() for number in range(20)]
    longest = max(len(text) for text in _texts("These are the items:", *items))

    assert longest <= CHARACTERS_MAX


def test_table_row_and_code_are_quoted_whole() -> None:
    """A cell alone, or a line of code alone, means little."""
    assert ["E-311 | 410 | station withdrawn", "a = 1\nprint(a. b). c"] == _texts(
        "| E-311 | 410 | station withdrawn", "    a = 1\nprint(a. b). c"
    )


def test_label_is_not_quoted_but_goes_along() -> None:
    """A term or by-line names what follows; the value under it is understood by it."""
    quotes = _quotes("- shared_buffers (integer)", "- The default is 128 megabytes.")

    assert ["The default is 128 megabytes."] == [quote.text for quote in quotes]
    label = "shared_buffers (integer)"
    assert f"Guide > {label}: The default is 128 megabytes." == quotes[0].embedded_text


def test_bare_value_in_a_list_is_quoted() -> None:
    """`868 MHz` answers something; a short line of prose without a full stop does not."""
    assert ["Radio band: 868 MHz"] == _texts("- Radio band: 868 MHz", "Last reviewed 9 May 2026")


def test_heading_of_the_page_is_no_label() -> None:
    """Only what stands between the page's heading and the sentence tells them apart."""
    quotes = _quotes("# Guide", "Owls hunt at night.")

    assert [""] == [quote.label for quote in quotes]
    assert ("Guide",) == quotes[0].section_path


def test_only_the_passage_is_quoted() -> None:
    """A block that reaches beyond the chunk is cut at it."""
    page = page_of(URL, "Owls hunt at night. Mice hide in the grass.", "Foxes follow.")
    cut = replace(passage_of(page), end=19, text=page.text[:19])

    assert ["Owls hunt at night."] == [q.text for q in quotes_of(0, cut, version_of(page))]


def test_passage_that_is_not_its_text_is_not_quoted() -> None:
    """Offsets that do not fit give nothing rather than something else."""
    page = page_of(URL, "Owls hunt at night.")
    wrong = replace(passage_of(page), text="Owls hunt by day.")

    assert [] == list(quotes_of(0, wrong, version_of(page)))


def _joined(page: PageText, *places: int) -> list[str]:
    quotes = list(quotes_of(0, passage_of(page), version_of(page)))
    return [q.text for q in join_quotes([quotes[i] for i in places], [version_of(page)])]


def test_neighbours_are_joined_in_reading_order() -> None:
    """Two sentences that follow each other are one quote, whichever was better."""
    page = page_of(URL, "Owls hunt at night. Mice hide in the grass. Foxes follow them home.")

    assert ["Owls hunt at night. Mice hide in the grass."] == _joined(page, 1, 0)
    assert ["Owls hunt at night.", "Foxes follow them home."] == _joined(page, 2, 0)


def test_overlapping_quotes_become_one() -> None:
    """A sentence is never shown twice."""
    page = page_of(URL, "The harness is inspected. It bears a label.")

    assert ["The harness is inspected. It bears a label."] == _joined(page, 0, 1)


def test_paragraphs_are_not_joined() -> None:
    """Each block stays a quote of its own."""
    page = in_one_chunk(page_of(URL, "Owls hunt at night.", "Mice hide in the grass."))

    assert ["Owls hunt at night.", "Mice hide in the grass."] == _joined(page, 0, 1)


def test_page_of_the_best_quote_is_read_first() -> None:
    """The answer begins with what answers best; inside a page the text's order stays."""
    pages = [
        page_of(f"{URL}/1", "Owls hunt at night."),
        page_of(f"{URL}/2", "Mice hide. Foxes follow them home."),
    ]
    versions = [version_of(page) for page in pages]
    first, second = (
        list(quotes_of(i, passage_of(page), versions[i])) for i, page in enumerate(pages)
    )

    assert ["Foxes follow them home.", "Owls hunt at night."] == [
        quote.text for quote in join_quotes([second[-1], first[0]], versions)
    ]


def test_quote_may_begin_in_the_chunk_before() -> None:
    """A pronoun at a chunk's start is resolved by the text, not by the chunk."""
    page = page_of(URL, "The harness is inspected.", "It bears a label.")
    quotes = list(quotes_of(0, passage_of(page, 1), version_of(page)))

    assert ["The harness is inspected.\n\nIt bears a label."] == [q.text for q in quotes]


def test_list_may_end_in_the_chunk_after() -> None:
    """What a sentence announces belongs to it wherever the chunk ends."""
    page = page_of(URL, "The box holds:", "- a station of 2 kilograms", "- a manual")
    quotes = list(quotes_of(0, passage_of(page), version_of(page)))

    assert "The box holds:\n\na station of 2 kilograms\n\na manual" == quotes[0].text


def test_neighbours_are_joined_across_chunks() -> None:
    """Two passages of one version that touch are one quote."""
    text = "Owls hunt at night. Mice hide in the grass."
    page = page_of(URL, text)
    middle = text.index("Mice")
    spans = (Span(start=0, end=middle - 1), Span(start=middle, end=len(text)))
    page = replace(page, spans=spans)
    version = version_of(page)
    found = [next(iter(quotes_of(i, passage_of(page, i), version))) for i in range(2)]

    assert [text] == [quote.text for quote in join_quotes(found, [version, version])]
