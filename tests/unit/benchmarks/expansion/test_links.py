"""Links of pages, and the graph that they make."""

from benchmarks.expansion.links import LinkGraph, links_of, targets_of

BODY = (
    b"<p>Some words that stand before <a href='b.html#part'>the second page</a> and after.</p>"
    b"<p><a href='/c%20d.html?x=1'>third</a> <a href='.'>home</a> <a href='pic.png'>no page</a>"
    b"<a href='http://other.example/b.html'>elsewhere</a> <a href='#top'>top</a>"
    b"<a href='b.html'>again</a></p>"
)


def test_links_lead_to_pages_of_the_site() -> None:
    """Fragment and query are no part of a page; other sites and files are none."""
    assert ["/a/b.html", "/c%20d.html", "/a/index.html"] == targets_of(BODY, "/a/a.html")


def test_link_is_told_with_the_words_around_it() -> None:
    """A page that two links lead to has each with its own words."""
    links = [one for one in links_of(BODY, "/a/a.html") if one.path == "/a/b.html"]

    assert ["the second page", "again"] == [one.anchor for one in links]
    assert "Some words that stand before the second page and after." == links[0].context


def test_steps_are_of_the_shortest_way() -> None:
    """A page that is taken off lengthens the way, or ends it."""
    graph = LinkGraph({"a": ["b", "c"], "b": ["d"], "c": ["e"], "e": ["d"], "d": ["gone"]})

    assert {"a": 0, "b": 1, "c": 1, "d": 2, "e": 2} == graph.steps_from("a")
    assert ["a", "b", "d"] == graph.path_to("a", ["d"])
    assert ["a", "c", "e", "d"] == graph.without(["b"]).path_to("a", ["d"])
    assert [] == graph.without(["b", "c"]).path_to("a", ["d"])
