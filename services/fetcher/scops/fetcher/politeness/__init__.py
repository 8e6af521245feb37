"""What a host asks of us: delays, robots.txt, and how far its validators can be trusted."""
