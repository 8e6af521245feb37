"""Work without a message: retention, and chunking anew."""
