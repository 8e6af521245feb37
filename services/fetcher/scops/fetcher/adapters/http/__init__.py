"""Pages from the web by aiohttp."""
