"""What the fetcher needs: its state, the web, the archive, scopes and time."""
