"""Chunk objects: what they are made of, and which the index must hold."""
