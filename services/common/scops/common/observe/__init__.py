"""What a process tells of itself: logs, metrics, traces, and the ids that join them."""
