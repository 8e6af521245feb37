"""What the services agree on: messages, who sends and reads which, ids, errors, the wire form."""
