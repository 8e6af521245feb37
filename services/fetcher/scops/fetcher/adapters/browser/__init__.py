"""The browser on Chromium, by Playwright (extra `browser`)."""
