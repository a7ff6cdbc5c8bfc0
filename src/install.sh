#!/bin/sh
# Installs what package-lock.json names, development dependencies included, unless that very lock file was
# installed before. Works with nothing but Node and npm, or nothing but Bun.
set -eu
cd "$(dirname "$0")/.."
stamp=node_modules/.installed-lock
if cmp -s package-lock.json "$stamp"; then exit 0; fi
if command -v npm >/dev/null 2>&1; then
  npm ci --include=dev --no-audit --no-fund
  # Where npm was told to run no install scripts, the bun command is a stub until its own script has run.
  node_modules/.bin/bun --version >/dev/null 2>&1 || node node_modules/bun/install.js
else
  bun install --frozen-lockfile
fi
cp package-lock.json "$stamp"
