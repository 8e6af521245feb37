"""The edge to a person or a script: arguments, output, exit codes."""
