"""Manifests of versions: chunks aligned with those of the version before."""
