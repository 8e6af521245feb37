"""Publishing with a confirmed PubAck, and the headers that travel beside a body."""
