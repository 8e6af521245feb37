"""The nats-server that `scops up` starts itself."""
