"""Which addresses may be connected to, and sockets that hold to it."""
