"""Parsing in processes of their own."""
