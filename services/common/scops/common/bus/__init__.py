"""The bus: subjects and streams as data, publishing with PubAck, consuming with retries."""
