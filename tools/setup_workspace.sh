#!/usr/bin/env bash
# Installs what clients/ is built by, as its lock says, into clients/node_modules.
set -euo pipefail

root="$(cd "$(dirname "$0")/.." && pwd)"
modules="$root/clients/node_modules"

cmp -s "$root/clients/package-lock.json" "$modules/installed.json" && exit 0
echo "installing clients/node_modules"
bash "$root/tools/npm.sh" ci --ignore-scripts --no-audit --no-fund
cp "$root/clients/package-lock.json" "$modules/installed.json"
