"""Roles brought to life on this machine, and work on its state."""
