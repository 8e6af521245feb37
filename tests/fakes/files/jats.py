"""Articles in JATS as publishers and Europe PMC give them."""

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) '
    'Journal Archiving and Interchange DTD v1.2 20190208//EN" "JATS-archivearticle1.dtd">\n'
    '<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article" '
    'dtd-version="1.2" xml:lang="en">'
)
_FRONT = """<front><journal-meta><journal-title-group><journal-title>Tides &amp; Gauges
</journal-title></journal-title-group></journal-meta><article-meta>
<article-id pub-id-type="pmid">1</article-id>
<article-id pub-id-type="doi">10.1000/Tides</article-id>
<title-group><article-title>Levels of <italic>tidal</italic> gauges</article-title>
<subtitle>A survey</subtitle></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Heron</surname>
<given-names>Ada</given-names></name><xref ref-type="aff" rid="a1"/></contrib>
<contrib contrib-type="author"><collab>The Keepers</collab></contrib>
<contrib contrib-type="editor"><name><surname>Tern</surname><given-names>C</given-names></name>
</contrib></contrib-group><aff id="a1">Heronry, Coast</aff>
<pub-date pub-type="collection"><year>2023</year></pub-date>
<pub-date pub-type="epub"><day>1</day><month>4</month><year>2023</year></pub-date>
<pub-date pub-type="nihms-submitted"><day>1</day><month>1</month><year>2022</year></pub-date>
<permissions><license xlink:href="https://creativecommons.org/licenses/by/4.0/">
<license-p>Open to all.</license-p></license></permissions>
<abstract><sec><title>Aim</title><p>To compare gauges of the coast.</p></sec></abstract>
<kwd-group><kwd>tides</kwd><kwd>cork floats</kwd></kwd-group></article-meta></front>"""
_BODY = """<body><sec><label>1</label><title>Methods</title>
<sec><label>1.1</label><title>Sounding</title>
<p>The basin was sounded in three nights<sup><xref ref-type="bibr" rid="r1">1</xref>–<xref
ref-type="bibr" rid="r2">2</xref></sup>, to 10<sup>−3</sup> m<fn><p>Of the lowest tide.</p></fn>
(see <ext-link xlink:href="https://atlas.example.org/">the
atlas</ext-link>).</p>
<list list-type="bullet"><list-item><p>with a lead</p></list-item></list>
<fig id="f1"><label>Figure 1</label><caption><title>The basin.</title>
<p>Soundings were made from a boat.</p></caption><graphic xlink:href="f1.jpg"/></fig>
<table-wrap><label>Table 1.</label><caption><p>Depths.</p></caption><table><thead><tr>
<th>gauge</th><th>depth</th></tr></thead><tbody><tr><td>Tarn</td><td>41 m</td></tr></tbody></table>
</table-wrap></sec></sec></body>"""
_BACK = """<back><ref-list><title>References</title>
<ref id="r1"><label>1.</label><element-citation publication-type="journal"><person-group>
<name><surname>Heron</surname><given-names>A</given-names></name>
<name><surname>Grebe</surname><given-names>B</given-names></name><etal/></person-group>
<article-title>Cork floats</article-title><source>J Gauges</source><year>2019</year>
<volume>7</volume><issue>2</issue><fpage>1</fpage><lpage>12</lpage>
<pub-id pub-id-type="doi">10.1000/cork</pub-id></element-citation></ref>
<ref id="r2"><label>2.</label><mixed-citation>Tern C. <italic>The atlas of tides</italic>.
Coast Press, 1987.</mixed-citation></ref></ref-list></back>"""
ARTICLE = f"{_HEAD}{_FRONT}{_BODY}{_BACK}</article>".encode()


def article(body: str, *, behind: str = "") -> str:
    """Returns an article around a body.

    Args:
        behind: what stands after it.
    """
    title = "<article-title>Gauges</article-title>"
    front = f"<front><article-meta><title-group>{title}</title-group></article-meta></front>"
    return f"{_HEAD}{front}<body>{body}</body>{behind}</article>"
