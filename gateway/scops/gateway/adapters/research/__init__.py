"""What a research run is told as, beside its messages: the ways to its pages, and its report."""
