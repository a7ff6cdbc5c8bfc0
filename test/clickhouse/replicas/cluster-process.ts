import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/server/server";

/** A start takes seconds; on a busy machine minutes. */
const startMsMax = 240_000;
const pauseMs = 100;

/** A process of the cluster, in a folder and at ports of its own. */
export interface Member {
  readonly url: string;
  /** Unless it runs. */
  start(): Promise<void>;
  /** SIGKILL. What it has stored stays. */
  kill(): Promise<void>;
}

export interface Cluster {
  readonly zooKeeper: Member;
  /** The servers by shard, then by replica. */
  readonly servers: readonly (readonly Member[])[];
  close(): Promise<void>;
}

/** The name under which the servers know each other. */
export const clusterName = "tried";
/** What an operator would give Sightline, as far as this version has rights. */
export const user = { name: "sightline", password: "of this test alone" } as const;

/** ClickHouse as Debian has it, in shards of some replicas, with a ZooKeeper. */
export async function startCluster(replicasOfShards: readonly number[]): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "sightline-replicas-"));
  const zooKeeperPort = freePort();
  const zooKeeper = zooKeeperIn(join(folder, "zookeeper"), zooKeeperPort);
  const places = replicasOfShards.map((replicas, shard) =>
    Array.from({ length: replicas }, (_, replica) => ({
      ...{ shard: shard + 1, replica: replica + 1, folder: join(folder, `${shard}-${replica}`) },
      ...{ http: freePort(), tcp: freePort(), interserver: freePort() },
    })),
  );
  const servers = places.map((shard) =>
    shard.map((place) => serverIn(place, places, zooKeeperPort)),
  );
  const close = async (): Promise<void> => {
    await Promise.all([...servers.flat(), zooKeeper].map((member) => member.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await zooKeeper.start();
    await Promise.all(servers.flat().map((member) => member.start()));
    await untilAllExecute(servers.flat());
  } catch (error) {
    await close();
    throw error;
  }
  return { zooKeeper, servers, close };
}

/**
 * Waits until all servers execute statements. For some seconds after it answers a server may not yet look for what is
 * asked of all of them; and one of this version sometimes crashes while it connects to ZooKeeper, which an operator's
 * supervisor would start again.
 */
export async function untilAllExecute(servers: readonly Member[]): Promise<void> {
  const deadline = performance.now() + startMsMax;
  for (;;) {
    await Promise.all(servers.map((server) => server.start()));
    const settings = "distributed_ddl_task_timeout=5&wait_end_of_query=1";
    const answer = await fetch(`${servers[0].url}/?${settings}`, {
      method: "POST",
      headers: { "x-clickhouse-user": user.name, "x-clickhouse-key": user.password },
      body: `create database if not exists ready on cluster '${clusterName}'`,
    }).catch(() => null);
    if (answer?.ok) return;
    if (performance.now() > deadline) throw new Error("Not all servers do what is asked of all.");
    await Bun.sleep(pauseMs);
  }
}

interface Place {
  readonly shard: number;
  readonly replica: number;
  readonly folder: string;
  readonly http: number;
  readonly tcp: number;
  readonly interserver: number;
}

function zooKeeperIn(folder: string, port: number): Member {
  mkdirSync(folder, { recursive: true });
  const configuration = join(folder, "zoo.cfg");
  writeFileSync(
    configuration,
    [
      ...["tickTime=500", "initLimit=20", "syncLimit=10", "maxClientCnxns=0"],
      ...[`dataDir=${folder}/data`, `clientPort=${port}`, "clientPortAddress=127.0.0.1"],
      ...["admin.enableServer=false", "4lw.commands.whitelist=isro", ""],
    ].join("\n"),
  );
  const command = [
    ...["java", "-Xmx128m", "-cp", "/usr/share/java/zookeeper.jar"],
    ...["org.apache.zookeeper.server.quorum.QuorumPeerMain", configuration],
  ];
  return member(folder, command, `127.0.0.1:${port}`, () => isServing(port));
}

async function isServing(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = await Bun.connect({
    ...{ hostname: "127.0.0.1", port },
    socket: {
      open: (opened) => void opened.write("isro"),
      data: (_, bytes) => resolve(bytes.toString() === "rw"),
      close: () => resolve(false),
      error: () => resolve(false),
    },
  });
  const answers = await promise;
  socket.end();
  return answers;
}

function serverIn(place: Place, places: readonly (readonly Place[])[], zooKeeperPort: number) {
  const { folder, http } = place;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  const configuration = join(folder, "config.xml");
  writeFileSync(configuration, configurationOf(place, places, zooKeeperPort));
  writeFileSync(join(folder, "users.xml"), usersXml);
  const url = `http://127.0.0.1:${http}`;
  const command = ["clickhouse-server", `--config-file=${configuration}`];
  return member(folder, command, url, async () => (await fetch(`${url}/ping`)).ok);
}

function member(
  folder: string,
  command: readonly string[],
  url: string,
  isUp: () => Promise<boolean>,
): Member {
  let child: Bun.Subprocess | null = null;
  return {
    url,
    start: async () => {
      if (child !== null && child.exitCode === null && child.signalCode === null) return;
      const log = Bun.file(join(folder, "output.log"));
      const started = Bun.spawn([...command], { cwd: folder, stdout: log, stderr: log });
      child = started;
      process.once("exit", () => started.kill("SIGKILL"));
      const deadline = performance.now() + startMsMax;
      while (!(await isUp().catch(() => false))) {
        const hasEnded = started.exitCode !== null || started.signalCode !== null;
        if (hasEnded || performance.now() > deadline) {
          throw new Error(`${command[0]} did not start: ${(await log.text()).slice(-4_000)}`);
        }
        await Bun.sleep(pauseMs);
      }
    },
    kill: async () => {
      child?.kill("SIGKILL");
      await child?.exited;
    },
  };
}

function configurationOf(
  { shard, replica, folder, http, tcp, interserver }: Place,
  places: readonly (readonly Place[])[],
  zooKeeperPort: number,
): string {
  const shards = places.map((replicas) => {
    const all = replicas.map(
      (one) =>
        `<replica><host>127.0.0.1</host><port>${one.tcp}</port>` +
        `<user>${user.name}</user><password>${user.password}</password></replica>`,
    );
    return `<shard><internal_replication>true</internal_replication>${all.join("")}</shard>`;
  });
  return `<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>
  <interserver_http_host>127.0.0.1</interserver_http_host>
  <interserver_http_port>${interserver}</interserver_http_port>
  <listen_host>127.0.0.1</listen_host>
  <path>${folder}/data/</path><tmp_path>${folder}/temporary/</tmp_path>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <timezone>UTC</timezone><mark_cache_size>100000000</mark_cache_size>
  <zookeeper>
    <node><host>127.0.0.1</host><port>${zooKeeperPort}</port></node>
    <session_timeout_ms>3000</session_timeout_ms>
  </zookeeper>
  <macros><shard>${shard}</shard><replica>${replica}</replica></macros>
  <remote_servers><${clusterName}>${shards.join("")}</${clusterName}></remote_servers>
  <distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
</yandex>
`;
}

/** One user, with the one right that this version knows: which databases it may use. */
const usersXml = `<yandex>
  <profiles><default><max_threads>2</max_threads><log_queries>0</log_queries></default></profiles>
  <quotas><default></default></quotas>
  <users>
    <${user.name}>
      <password>${user.password}</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota>
      <allow_databases><database>tried</database><database>ready</database><database>system</database></allow_databases>
    </${user.name}>
  </users>
</yandex>
`;
