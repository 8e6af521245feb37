#!/usr/bin/env bash
# Installs the named Debian packages that are missing; prints what it will do first.
# Slim images leave documentation out of what they install (path-exclude=/usr/share/doc/*); the
# PostgreSQL manual, which tests and benchmarks read, is then unpacked into the cache.
set -euo pipefail

manual=postgresql-doc-15
cache="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}/$manual"

sudo=""
[ "$(id -u)" -eq 0 ] || sudo="sudo"

missing=()
for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "installing Debian packages: ${missing[*]}"
    echo "+ $sudo apt-get update && $sudo apt-get install --no-install-recommends ${missing[*]}"
    # Tests start servers of their own: a package must not start its service (Debian policy 9.3).
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" >/dev/null
        $sudo chmod 755 "$policy"
        policy_made=$policy
        trap '$sudo rm -f "$policy"' EXIT
    fi
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

installed="/usr/share/doc/$manual/html/sql.html"
unpacked="$cache/usr/share/doc/$manual/html/sql.html"
if [[ " $* " == *" $manual "* ]] && [ ! -f "$installed" ] && [ ! -f "$unpacked" ]; then
    echo "unpacking $manual into $cache, for this system installs no documentation"
    folder="$(mktemp -d)"
    trap 'rm -rf "$folder"; [ -z "${policy_made:-}" ] || $sudo rm -f "$policy_made"' EXIT
    download=(apt-get -o APT::Sandbox::User=root download -qq "$manual")
    (cd "$folder" && "${download[@]}") || { $sudo apt-get update -qq && (cd "$folder" && "${download[@]}"); }
    mkdir -p "$cache"
    dpkg-deb -x "$folder/$manual"_*.deb "$cache"
fi
