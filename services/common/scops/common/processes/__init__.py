"""Work on what strangers wrote, in child processes that can be killed."""
