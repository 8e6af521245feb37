"""Scopes: rules that decide (`rules`), and the filter that a store can apply (`filter`)."""
