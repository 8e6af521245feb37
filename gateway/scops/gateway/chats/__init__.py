"""Chats: what was asked and answered, kept for who asked."""
