import { randomFrom } from "../support/random/random";
import { createProject, read, setUpAccount } from "../support/server/account";
import { removeFolder, temporaryFolder } from "../support/server/server";
import { type Figures, oneDecimal, thousands } from "./figures";
import { today } from "./ingest";
import { memoryOf } from "./memory";
import { type BatchRequest, batches, batchRequest, sendAll } from "./send";
import { folderBytes, serve, untilCompacted } from "./world";

const section = "Hostile shapes: events of 50 random property keys each";
const keysPerEvent = 50;
/** Room for what serves an ordinary load, beside the column cache. */
const memoryMbMax = 1_536;

/** The token is public: somebody may send a million events of which no two have a key in common. */
export async function measureHostile(events: number, figures: Figures): Promise<void> {
  const dataDir = temporaryFolder();
  const server = await serve(dataDir);
  const key = await setUpAccount(server.url);
  const ordinary = await createProject(server.url, key, "ordinary");
  const hostile = await createProject(server.url, key, "hostile");
  const normal = await sendAll(server.url, batches(ordinary.token, today(6, 300_000)));
  const sent = await sendAll(server.url, hostileBatches(hostile.token, events));
  const share = sent.perSecond / normal.perSecond;
  figures.add(section, `ingestion of ${thousands(events)}, events/s`, thousands(sent.perSecond));
  figures.add(
    section,
    "… as a share of ordinary events just before",
    share.toFixed(2),
    "0.5",
    share >= 0.5,
  );
  await untilCompacted(dataDir);
  const stats = await read<{ totals: { total_events: number } }>(
    server.url,
    key,
    `/stats?project=${hostile.name}`,
  );
  const stored = stats.totals.total_events;
  figures.add(
    section,
    "… events that /stats shows",
    thousands(stored),
    thousands(events),
    stored === events,
  );
  const { mostMb } = memoryOf(server.process.pid);
  figures.add(
    section,
    "… most memory of the server, MB",
    thousands(mostMb),
    thousands(memoryMbMax),
    mostMb <= memoryMbMax,
  );
  await server.stop();
  figures.add(
    section,
    "… bytes per event on disk",
    oneDecimal(folderBytes(dataDir) / (events + normal.events)),
  );
  removeFolder(dataDir);
}

function* hostileBatches(token: string, events: number): Generator<BatchRequest> {
  const random = randomFrom(7);
  const endMs = Date.now();
  for (let sent = 0; sent < events; sent += 100) {
    const batch = Array.from({ length: Math.min(100, events - sent) }, (_, index) => {
      const properties = Array.from(
        { length: keysPerEvent },
        () => `"${word(random.below(2 ** 32))}":${random.below(1_000)}`,
      );
      const number = sent + index;
      const sender = `"user_id":"u${number % 1_000}","event_id":"h${number}"`;
      return `{"event":"odd",${sender},"timestamp":${endMs},"properties":{${properties}}}`;
    });
    yield batchRequest(token, batch, "US");
  }
}

const word = (number: number): string => `k${number.toString(36)}`;
