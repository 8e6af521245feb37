"""The entries of feeds, each as a page under its link."""
