"""DOCX, ODT and EPUB."""
