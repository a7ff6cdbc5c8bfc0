#!/bin/sh
# Installs what package-lock.json names, development dependencies included, unless that very lock file was installed before.
set -eu
cd "$(dirname "$0")/.."
stamp=node_modules/.installed-lock
if [ -f "$stamp" ] && cmp -s package-lock.json "$stamp"; then exit 0; fi
if command -v npm >/dev/null 2>&1; then
  npm ci --include=dev --no-audit --no-fund
else
  bun install --frozen-lockfile
fi
cp package-lock.json "$stamp"
