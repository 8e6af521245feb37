"""The options before a command that say which gateway is asked, and by whom."""


class GatewayOptions:
    """What was typed; empty where it was not."""

    server = ""
    token = ""
    ca = ""
