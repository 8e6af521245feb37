"""The strategy `salient`: aligns texts first, then says of each edit what kind it is.

comparison_text   what is compared: a text without the ways of writing it, and its offsets
tokens            the words, numbers and signs of a comparison text
notation          how a language writes numbers, dates, units and currencies, by CLDR
written_values    numbers, dates and amounts as what they stand for
stamps            stamps of passing time; update_words, the words of them by language
words, variants   closed classes of words; which two words are one
segments          sentences, rows and headings with a 64-bit hash
alignment         which segment follows which: kept, moved, edited, added, removed
token_edits       the words that differ between two segments
reasons           why words that differ matter
edits             typed edits of two texts
strategy          the port's implementation
"""
