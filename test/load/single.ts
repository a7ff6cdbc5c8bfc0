import { createProject, type Project } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import { freePort, type Server } from "../support/server/server";
import { pathFromRoot } from "../support/suite/sources";
import { costEach, cpuTimeOf } from "./cpu";
import { type Figures, median, oneDecimal, quantile, thousands } from "./figures";
import type { World } from "./world";

const section = "Single /track requests";
const rounds = 5;
const roundSeconds = 6;
/** Enough that the wait for a group's commit, some milliseconds, does not bound the rate. */
const connections = 512;

/** Durable requests per second against a bare Bun.serve, in turn; then the latency at half of what was reached. */
export async function measureSingle(server: Server, world: World, figures: Figures): Promise<void> {
  installWrk();
  const project = await createProject(server.url, world.key, "single");
  const barePort = freePort();
  const bare = Bun.spawn([
    process.execPath,
    pathFromRoot("test/load/bare-server.ts"),
    String(barePort),
  ]);
  const bareUrl = `http://127.0.0.1:${barePort}`;
  await Bun.sleep(500);
  const pairs: { bare: number; ours: number }[] = [];
  let cost = "";
  for (let round = 0; round < rounds; round++) {
    const before = cpuTimeOf(server.process.pid);
    const { perSecond, requests } = wrk(server.url, project, round);
    cost = costEach(before, cpuTimeOf(server.process.pid), requests);
    pairs.push({ bare: wrk(bareUrl, project, round).perSecond, ours: perSecond });
  }
  bare.kill();
  const ratio = median(pairs.map((pair) => pair.ours / pair.bare));
  const ours = median(pairs.map((pair) => pair.ours));
  figures.add(
    section,
    "a bare Bun.serve that parses the JSON, requests/s",
    thousands(median(pairs.map((pair) => pair.bare))),
  );
  figures.add(section, "durable, acknowledged after the commit, requests/s", thousands(ours));
  figures.add(
    section,
    "… median of five ratios, measured in turn",
    ratio.toFixed(2),
    "0.60",
    ratio >= 0.6,
  );
  figures.add(section, "… µs of processor time each: main thread + all others", cost);
  await measureLatency(server, project, ours / 2, figures);
}

function installWrk(): void {
  if (Bun.which("wrk") !== null) return;
  const script = "apt-get update -qq && apt-get install -y -qq --no-install-recommends wrk";
  const { success } = Bun.spawnSync(["sh", "-c", script], { stdout: "ignore", stderr: "inherit" });
  if (!success)
    throw new Error("These figures need wrk, and it could not be installed: apt-get install wrk");
}

function wrk(url: string, project: Project, round: number) {
  const script = pathFromRoot("test/load/track.lua");
  const { stdout } = Bun.spawnSync([
    ...["wrk", "--threads=1", `--connections=${connections}`, `--duration=${roundSeconds}s`],
    ...[`--script=${script}`, `${url}/track`, "--", project.token, `${Date.now() % 1e8}${round}`],
  ]);
  const text = stdout.toString();
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`wrk met errors:\n${text}`);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]),
    requests: Number(/(\d+) requests in/.exec(text)?.[1]),
  };
}

async function measureLatency(
  server: Server,
  project: Project,
  perSecond: number,
  figures: Figures,
) {
  const latencies = await latenciesAt(server, project, perSecond, 20);
  const p99 = quantile(latencies, 0.99);
  figures.add(
    section,
    `p50 / p99 / max of the acknowledgement at ${thousands(perSecond)} requests/s, ms`,
    `${oneDecimal(median(latencies))} / ${oneDecimal(p99)} / ${oneDecimal(Math.max(0, quantile(latencies, 1)))}`,
    "p99 25",
    p99 < 25,
  );
}

/**
 * The times until single requests were acknowledged, in ms. Open loop: requests leave at their time whether earlier
 * ones were answered or not, and that time is what counts.
 */
export async function latenciesAt(
  server: Server,
  project: Project,
  perSecond: number,
  seconds: number,
): Promise<readonly number[]> {
  const lines = await Promise.all(Array.from({ length: 256 }, () => Connection.open(server.url)));
  const free = [...lines];
  const waiting: number[] = [];
  const latencies: number[] = [];
  const started = performance.now();
  const run = `${Date.now().toString(36)}_${project.name}`;
  const total = Math.round(perSecond * seconds);
  const send = (line: Connection, number: number): void => {
    void line.send(trackText(project, run, number)).then(({ status }) => {
      if (status !== 202) throw new Error(`/track answered ${status}`);
      latencies.push(performance.now() - started - (number / perSecond) * 1000);
      const next = waiting.shift();
      if (next === undefined) free.push(line);
      else send(line, next);
    });
  };
  for (let number = 0; number < total; ) {
    const due = Math.min(total, ((performance.now() - started) / 1000) * perSecond);
    for (; number < due; number++) {
      const line = free.shift();
      if (line === undefined) waiting.push(number);
      else send(line, number);
    }
    await Bun.sleep(1);
  }
  while (latencies.length < total) await Bun.sleep(10);
  for (const line of lines) line.close();
  return latencies;
}

function trackText({ token }: Project, run: string, number: number): string {
  const body =
    `{"token":"${token}","event":"page_view","user_id":"anon_${number % 5_000}",` +
    `"session_id":"sess_${number % 20_000}","properties":{"url":"https://www.example.com/pricing",` +
    `"path":"/pricing","title":"Pricing | Example","browser":"Chrome","os":"Windows","device":"desktop",` +
    `"screen":"1920x1080","language":"en-US"},"event_id":"open_${run}_${number}"}`;
  return requestText("POST", "/track", { "User-Agent": "sightline-load/1.0" }, body);
}
