"""The HTTP door: Connect, gRPC-Web and JSON, and readable routes by the protos' annotations."""
