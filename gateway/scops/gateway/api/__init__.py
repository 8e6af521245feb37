"""The public API as data: its methods, and its messages beside the values of the use cases."""
