"""Turns texts into unit vectors; all-MiniLM-L6-v2 on ONNX Runtime, without torch.

`port` is the contract, `registry.load_embedder` the way in; everything else is behind them.
"""
