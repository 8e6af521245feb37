"""Asks a running Scops (`scops up`) a question: `python examples/python/ask.py "How often …?"`."""

import sys

from scops.client import Scops

with Scops() as scops:
    answer = scops.answer(" ".join(sys.argv[1:]), "*")
for statement in answer.statements:
    print(statement.text, list(statement.citation_numbers))
for citation in answer.citations:
    print(f"[{citation.number}]", citation.fragment_uri or citation.uri)
if answer.shortfall_reason:
    print(answer.shortfall_reason)
