#!/bin/sh
# Installs what the lock file of this folder names: ClickHouse as a library, for tests alone. Once, and again when the
# file has changed; a download that breaks off is tried again.
set -eu
cd "$(dirname "$0")"
tries=3
# The engine is an optional package of chdb: npm succeeds without it, so it is loaded to see that it is there.
loads='const { dirname, join } = require("node:path");
require(join(dirname(require.resolve("chdb")), "dist/loader.js")).loadNative();'

cmp -s package-lock.json node_modules/.installed-lock 2>/dev/null && exit 0
for try in $(seq $tries); do
  # Not `npm ci`, which asks for the packages of all machines in the lock file, which a mirror may not have.
  if npm install --no-save --no-audit --no-fund --loglevel=error --fetch-retries=5 --fetch-timeout=120000 &&
    ../../node_modules/.bin/bun -e "$loads"; then
    cp package-lock.json node_modules/.installed-lock
    exit 0
  fi
  echo "ClickHouse for the tests was not installed at try $try of $tries." >&2
  rm -rf node_modules
  [ "$try" -eq $tries ] || sleep $((try * 10))
done
echo "The suites on ClickHouse cannot run: npm could not install what test/clickhouse/package-lock.json names" \
  "(chdb, 550 MB, for Linux on x64 with glibc). What npm said stands above; run test/clickhouse/install.sh again." >&2
exit 1
