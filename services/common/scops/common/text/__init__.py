"""Words and sentences of clean texts."""
