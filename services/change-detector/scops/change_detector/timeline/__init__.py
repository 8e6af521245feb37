"""The versions that a page's observations make, and the verdict each observation gets."""
