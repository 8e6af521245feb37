"""What is fetched next: leases of hosts and pages, the workers, and how each page ends."""
