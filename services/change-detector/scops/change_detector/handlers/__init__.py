"""The use cases: (message or question, ports) -> events or an answer."""
