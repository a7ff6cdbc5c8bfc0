import { join } from "node:path";
import { minuteMs, secondMs } from "../../src/lib/clock";
import { createProject, type Project, setUpAccount } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import { ask, removeFolder, type Server, temporaryFolder } from "../support/server/server";
import { spentBy } from "./cpu";
import { bigProject, wireEvents } from "./dataset";
import { type Figures, oneDecimal, quantile, thousands } from "./figures";
import { today } from "./ingest";
import { forgetMostMemory, memoryOf } from "./memory";
import { batches, sendAll, stream } from "./send";
import { serve, storedIn } from "./world";

const secondsMax = 120;
const mebibytesMax = 400;
const eventsBefore = 100_000;
/** The work beside the import: a site with much traffic, and a few open dashboards. */
const eventsPerSecond = 500;
const readEveryMs = 200;
const partBytes = 8 * 1024 * 1024;
/** Somebody reads the report before the commit. */
const reportReadMs = 5 * secondMs;
const phases = ["check", "commit"] as const;
const endOf = { check: "checked", commit: "done" } as const;

interface Place {
  readonly server: Server;
  readonly key: string;
  readonly beside: Project;
}

/** Imports a file of events by `sightline import`, beside reads and ingestion: how fast, and the most memory. */
export async function measureImports(events: number, figures: Figures): Promise<void> {
  const folder = temporaryFolder();
  const file = join(folder, "events.jsonl");
  await writeEvents(file, events);
  const server = await serve(join(folder, "data"));
  const key = await setUpAccount(server.url);
  const beside = await createProject(server.url, key, "beside");
  const moved = await createProject(server.url, key, "moved");
  await sendAll(server.url, batches(beside.token, today(1, eventsBefore)));
  const place = { server, key, beside };
  const idle = await readsBeside(place, 10 * secondMs);
  const flood = stream(server.url, batches(beside.token, today(2, 10_000_000)), eventsPerSecond);
  await readsBeside(place, 10 * secondMs);
  const id = await upload(place, file);
  const section = `An import of ${thousands(events)} events, beside ${thousands(eventsPerSecond)} events/s and reads`;
  figures.add(section, "a read alone, p50 / p95, ms", timesText(idle));
  let seconds = 0;
  let mostMb = 0;
  for (const phase of phases) {
    const found = await measurePhase(place, id, phase);
    await Bun.sleep(reportReadMs);
    seconds += found.seconds;
    mostMb = Math.max(mostMb, found.mostMb);
    const what = `${phase}: s (of a processor, s)`;
    figures.add(section, what, `${oneDecimal(found.seconds)} (${oneDecimal(found.spentSeconds)})`);
    figures.add(
      section,
      `${phase}: most memory of the server (before it), MiB`,
      `${oneDecimal(found.mostMb)} (${oneDecimal(found.beforeMb)})`,
    );
    figures.add(section, `${phase}: a read beside it, p50 / p95, ms`, timesText(found.reads));
  }
  await flood.stop();
  const stored = await storedIn(server, key, moved);
  const isAll = stored === events;
  figures.add(section, "events stored", thousands(stored), thousands(events), isAll);
  const isFast = seconds <= secondsMax;
  figures.add(section, "check and commit, s", oneDecimal(seconds), `${secondsMax}`, isFast);
  const isSmall = mostMb <= mebibytesMax;
  figures.add(section, "most memory, MiB", oneDecimal(mostMb), `${mebibytesMax}`, isSmall);
  await server.stop();
  removeFolder(folder);
}

async function writeEvents(file: string, events: number): Promise<void> {
  const writer = Bun.file(file).writer();
  const endMs = Math.floor(Date.now() / minuteMs) * minuteMs - minuteMs;
  for (const { json } of wireEvents(bigProject(events, endMs))) {
    writer.write(`${json}\n`);
  }
  await writer.end();
}

/** Uploads a file. Returns the id of the import. */
async function upload({ server, key }: Place, file: string): Promise<string> {
  const headers = { "X-API-Key": key };
  const { size } = Bun.file(file);
  const hash = new Bun.CryptoHasher("sha256");
  for await (const bytes of Bun.file(file).stream()) hash.update(bytes);
  const body = { project: "moved", size, sha256: hash.digest("hex") };
  const made = await ask(server.url, "POST", "/imports", headers, body);
  if (made.status !== 201) throw new Error(`The import answered ${made.status}: ${made.body}`);
  const { id } = JSON.parse(made.body);
  for (let at = 0; at < size; at += partBytes) {
    const part = await Bun.file(file)
      .slice(at, Math.min(size, at + partBytes))
      .arrayBuffer();
    const url = `${server.url}/imports/${id}/data?offset=${at}`;
    const sent = await fetch(url, { method: "PUT", headers, body: part });
    if (!sent.ok) throw new Error(`A part answered ${sent.status}: ${await sent.text()}`);
  }
  return id;
}

/** Asks for a check or a commit and waits for its end. */
async function measurePhase(place: Place, id: string, phase: (typeof phases)[number]) {
  const { server, key } = place;
  const { pid } = server.process;
  const { nowMb: beforeMb } = memoryOf(pid);
  forgetMostMemory(pid);
  const startedAt = performance.now();
  const spentBefore = spentBy(pid);
  const headers = { "X-API-Key": key };
  const begun = await ask(server.url, "POST", `/imports/${id}/${phase}`, headers, {});
  if (begun.status !== 202) throw new Error(`${phase} answered ${begun.status}: ${begun.body}`);
  const reads: number[] = [];
  for (let state = ""; state !== endOf[phase]; ) {
    reads.push(...(await readsBeside(place, readEveryMs)));
    ({ state } = JSON.parse((await ask(server.url, "GET", `/imports/${id}`, headers)).body));
    if (state === "failed") throw new Error(`The ${phase} failed.`);
  }
  const seconds = (performance.now() - startedAt) / secondMs;
  const spentSeconds = (spentBy(pid) - spentBefore) / secondMs;
  return { reads, seconds, spentSeconds, beforeMb, mostMb: memoryOf(pid).mostMb };
}

/** Reads for a time. Returns the times of the answers in ms. */
async function readsBeside({ server, key, beside }: Place, forMs: number): Promise<number[]> {
  const line = await Connection.open(server.url);
  const took: number[] = [];
  const request = requestText("GET", `/stats?project=${beside.name}&since=7d`, {
    "X-API-Key": key,
  });
  for (const endsAt = performance.now() + forMs; performance.now() < endsAt; ) {
    const askedAt = performance.now();
    const { status, body } = await line.send(request);
    if (status !== 200) throw new Error(`/stats answered ${status}: ${body}`);
    took.push(performance.now() - askedAt);
    await Bun.sleep(readEveryMs);
  }
  line.close();
  return took;
}

const timesText = (times: readonly number[]): string =>
  `${oneDecimal(quantile(times, 0.5))} / ${oneDecimal(quantile(times, 0.95))}`;
