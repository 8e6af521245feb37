"""Messages as frozen values; generated from the protos by `make proto`."""
