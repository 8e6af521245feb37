"""What libraries raise on trees that their authors did not foresee.

Whoever catches these has another way to the same answer, or an answer without it.
"""

from lxml import etree

LIBRARY_FAULTS: tuple[type[Exception], ...] = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    etree.LxmlError,
)
