"""What is said of a paper: names, records of services, and the paper that they make together."""
