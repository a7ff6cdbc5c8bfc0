#!/bin/sh
# Installs what the lock file of this folder names: ClickHouse as a library, for tests alone. Once, and again when the
# file has changed; a download that breaks off is tried again.
set -eu
cd "$(dirname "$0")"
cmp -s package-lock.json node_modules/.installed-lock 2>/dev/null && exit 0
# Not `npm ci`, which asks for the packages of all machines in the lock file, also for those that a mirror may not have.
npm install --no-save --no-audit --no-fund --loglevel=error --fetch-retries=5 --fetch-timeout=120000
cp package-lock.json node_modules/.installed-lock
