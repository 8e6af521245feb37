"""The `scops` command: starts any set of roles in one process, and asks a running gateway.

Everything that asks or changes goes through the gateway's gRPC API, as any other client does;
only `up`, `run`, `provision` and `doctor` touch services.
"""
