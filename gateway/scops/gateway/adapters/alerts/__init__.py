"""How alerts leave: webhooks and e-mail."""
