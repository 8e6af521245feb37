"""The API over gRPC."""
