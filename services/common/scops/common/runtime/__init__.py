"""Running services in a process: service records, shared ports, the runner, the clock."""
