import { dayMs, secondMs } from "../../src/lib/clock";
import { createProject, setUpAccount } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import { removeFolder, type Server, temporaryFolder } from "../support/server/server";
import { costEach, cpuTimeOf } from "./cpu";
import { usualSessions, wireEvents } from "./dataset";
import { type Figures, median, oneDecimal, quantile, thousands } from "./figures";
import { storeTimeOf } from "./reads";
import { type BatchRequest, batches, sendAll, stream } from "./send";
import { serve, storedIn, untilCompacted } from "./world";

const name = "flooded";
const statsMsMax = 60;
/** The number of connections, each of which sends a batch at a time. */
const lines = 14;
const pauseMs = 250;
/** The last question may take a while, and events come until it is answered. */
const spareMs = 3 * secondMs;
/** A server that keeps up falls behind for a moment now and then. */
const rateShareMin = 0.97;

interface Flood {
  readonly storedBefore: number;
  readonly perSecond: number;
  /** The time after which rows wait, are merged, and become columns as fast as they come. */
  readonly settleMs: number;
  readonly askedForMs: number;
}
const usual: Flood = {
  storedBefore: 1_000_000,
  perSecond: 70_000,
  settleMs: 4 * secondMs,
  askedForMs: 15 * secondMs,
};

const questions = [
  { what: "/stats of 30 days", path: `/stats?project=${name}&since=29d`, msMax: statsMsMax },
  { what: "/sessions newest 100", path: `/sessions?project=${name}&since=29d&limit=100` },
  {
    what: "/breakdown path",
    path: `/breakdown?project=${name}&since=29d&event=page_view&property=path`,
  },
];

/** A million events of 29 days; then events of now at full rate, and reads of 30 days beside them. */
export async function measureFlooded(figures: Figures, flood: Flood = usual): Promise<void> {
  const { storedBefore, perSecond, settleMs, askedForMs } = flood;
  const section = `A project of ${thousands(storedBefore)} events, and ${thousands(perSecond)} more each second`;
  const dataDir = temporaryFolder();
  const server = await serve(dataDir);
  const key = await setUpAccount(server.url);
  const project = await createProject(server.url, key, name);
  await sendAll(server.url, batches(project.token, eventsBefore(storedBefore)));
  await untilCompacted(dataDir);
  const lanes = made(project.token, flood);
  const spentBefore = cpuTimeOf(server.process.pid);
  const startedAt = performance.now();
  const streams = lanes.map((lane) => stream(server.url, lane.values(), perSecond / lines));
  await Bun.sleep(settleMs);
  const took = await askInTurn(server, key, askedForMs);
  const sent = await Promise.all(streams.map((one) => one.stop()));
  const seconds = (performance.now() - startedAt) / secondMs;
  const spent = cpuTimeOf(server.process.pid);
  const events = sent.reduce((sum, one) => sum + one, 0);
  const stored = (await storedIn(server, key, project)) - storedBefore;
  await server.stop();
  removeFolder(dataDir);

  const rate = events / seconds;
  const isKept = rate >= rateShareMin * perSecond;
  figures.add(section, "events/s acknowledged", thousands(rate), thousands(perSecond), isKept);
  const counted = `${thousands(stored)} of ${thousands(events)}`;
  figures.add(section, "… stored of those acknowledged", counted, "all", stored === events);
  const cost = costEach(spentBefore, spent, events);
  figures.add(
    section,
    "… µs of processor time each, reads included: main thread + all others",
    cost,
  );
  for (const [place, { what, msMax }] of questions.entries()) {
    const middle = median(took[place]);
    const shown = `${oneDecimal(middle)} / ${oneDecimal(quantile(took[place], 0.95))}`;
    const isMet = msMax === undefined ? null : middle <= msMax;
    figures.add(
      section,
      `${what}: median / p95, ms`,
      shown,
      msMax === undefined ? "" : `${msMax}`,
      isMet,
    );
  }
}

/** Measures reads one after the other as the store times them, without HTTP. */
async function askInTurn(server: Server, key: string, askedForMs: number): Promise<number[][]> {
  const connection = await Connection.open(server.url);
  const took = questions.map((): number[] => []);
  const startedAt = performance.now();
  for (let asked = 0; performance.now() - startedAt < askedForMs; asked++) {
    const place = asked % questions.length;
    const { path } = questions[place];
    const reply = await connection.send(requestText("GET", path, { "X-API-Key": key }));
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.body}`);
    took[place].push(storeTimeOf(reply) ?? Number.NaN);
    await Bun.sleep(pauseMs);
  }
  connection.close();
  return took;
}

const eventsBefore = (events: number) => {
  const nowMs = Date.now();
  return wireEvents({
    ...{ seed: 70, events, users: Math.ceil(events * 0.03), sessionsAtOnce: usualSessions },
    ...{ fromMs: nowMs - 29 * dayMs, toMs: nowMs },
  });
};

/** Makes the requests of each connection in advance, so that the server has the processors while they are sent. */
function made(token: string, { perSecond, settleMs, askedForMs }: Flood): BatchRequest[][] {
  const fromMs = Date.now();
  const forMs = settleMs + askedForMs + spareMs;
  const events = Math.ceil((perSecond * forMs) / secondMs);
  const all = wireEvents({
    ...{ seed: 71, events, users: Math.ceil(events * 0.03), sessionsAtOnce: perSecond },
    ...{ fromMs, toMs: fromMs + forMs },
  });
  const lanes = Array.from({ length: lines }, (): BatchRequest[] => []);
  let next = 0;
  for (const request of batches(token, all)) lanes[next++ % lines].push(request);
  return lanes;
}
