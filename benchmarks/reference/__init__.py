"""What benchmarks compare with or are made by: reference encodings, fitted weights, tables."""
