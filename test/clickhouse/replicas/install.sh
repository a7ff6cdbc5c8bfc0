#!/bin/sh
# Installs ClickHouse and ZooKeeper as Debian has them, for the suite of this folder alone: some 70 packages. Nothing of
# them is started; a download that breaks off is tried again.
set -eu
tries=3
waits="-o Acquire::Retries=3 -o DPkg::Lock::Timeout=120"

are_there() {
  [ -x /usr/sbin/clickhouse-server ] && [ -e /usr/share/java/zookeeper.jar ] && command -v java >/dev/null
}
are_there && exit 0
sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
for try in $(seq $tries); do
  # At this run level no script of a package starts a service.
  if $sudo apt-get update -qq $waits &&
    $sudo env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $waits --no-install-recommends \
      clickhouse-server zookeeper default-jre-headless >/dev/null && are_there; then
    exit 0
  fi
  echo "ClickHouse and ZooKeeper were not installed at try $try of $tries." >&2
  [ "$try" -eq $tries ] || sleep $((try * 10))
done
echo "The suite on replicas cannot run: apt-get could not install clickhouse-server and zookeeper." >&2
exit 1
