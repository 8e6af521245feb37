"""One command a benchmark: `python -m benchmarks.NAME --json`.

NAME is a module, or a folder whose `__main__` is the command; what several benchmarks need is in
`shared`: `shared.system` starts Scops and drives it from outside, `shared.judged` reads judged
sets and scores rankings of them.
"""
