"""Backup and restore: databases in one snapshot, the archive by what is missing, the rest made."""
