"""The query plane: request/reply between services, in process or over NATS."""
