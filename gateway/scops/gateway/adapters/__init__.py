"""gRPC and SQL: what touches the outside."""
