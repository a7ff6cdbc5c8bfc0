import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Socket } from "bun";
import { type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { handshake } from "../../../test/support/app/live-socket";
import { type Unsent, UnsentBytes } from "./unsent-bytes";

const mib = 1024 * 1024;
/** Answers have to be larger than what the kernel buffers for a connection, which does not count. */
const eventsPerAnswer = 1_000;
const textOf = (n: number): string => `${n} `.padEnd(7_500, "x");

let app: TestApp;
let shop: TestProject;
let origin: URL;
const clients: SlowClient[] = [];

beforeAll(async () => {
  app = await testApp();
  origin = new URL(app.listen());
  shop = await app.makeProject("shop");
  for (let sent = 0; sent < eventsPerAnswer; sent += 100) await flood();
});
afterAll(() => app.close());
/** Makes bounds that a few clients reach. */
const bounded = (perHolderMax: number, allMax: number): Watched => {
  const unsent = new Watched(perHolderMax, allMax);
  Object.assign(app.deps, { unsent });
  return unsent;
};
beforeEach(() => {
  for (const client of clients.splice(0)) client.close();
});

const flood = (): Promise<void> =>
  app.track(
    shop,
    ...Array.from({ length: 100 }, (_, n) => ({ event: "e", properties: { text: textOf(n) } })),
  );

/** Says of how many answers it was told, so that a test need not guess when one is made. */
class Watched extends UnsentBytes {
  answers = 0;

  override open(holder: string, drop: () => void): Unsent {
    const unsent = super.open(holder, drop);
    let isCounted = false;
    return {
      close: unsent.close,
      set: (bytes) => {
        unsent.set(bytes);
        if (bytes > 0 && !isCounted) this.answers += 1;
        isCounted ||= bytes > 0;
      },
    };
  }
  /** Waits until the kernel takes no more of the buffered answers. */
  async isStill(): Promise<void> {
    for (let before = -1; before !== this.bytes; await Bun.sleep(20)) before = this.bytes;
  }
}

/** A real connection that sends a request, and takes nothing of the answer until it is told to. */
class SlowClient {
  received = 0;
  end = "";
  isClosed = false;
  #socket: Socket | null = null;

  static async open(path: string, more: Readonly<Record<string, string>> = {}) {
    const client = new SlowClient();
    const headers = Object.entries({ host: origin.host, "x-api-key": app.key, ...more });
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    client.#socket = await Bun.connect({
      hostname: origin.hostname,
      port: Number(origin.port),
      socket: {
        open: (socket) => {
          socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`);
          socket.pause();
        },
        data: (_, bytes) => client.#take(bytes),
        close: () => client.#lose(),
        error: () => client.#lose(),
      },
    });
    clients.push(client);
    return client;
  }
  #take(bytes: Uint8Array): void {
    this.received += bytes.length;
    this.end = (this.end + Buffer.from(bytes.subarray(-8)).toString()).slice(-8);
  }
  #lose(): void {
    this.isClosed = true;
  }
  read(): void {
    this.#socket?.resume();
  }
  get isWhole(): boolean {
    return this.end.endsWith("0\r\n\r\n");
  }
  close(): void {
    this.#socket?.terminate();
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 50_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error("it did not happen");
    await Bun.sleep(5);
  }
}

const events = () => `/events?project=${shop.id}&since=1d&limit=${eventsPerAnswer}`;

describe("answers that nobody reads", () => {
  test("are bounded by account; beyond that the oldest connection is closed", async () => {
    const unsent = bounded(8 * mib, 100 * mib);
    const slow: SlowClient[] = [];
    let most = 0;
    for (let n = 0; n < 5; n++) {
      slow.push(await SlowClient.open(events()));
      await until(() => unsent.answers === n + 1);
      await unsent.isStill();
      most = Math.max(most, unsent.bytes);
    }
    expect(most).toBeGreaterThan(2 * mib);
    expect(most).toBeLessThanOrEqual(8 * mib);
    for (const client of slow) client.read();
    await until(() => slow.every(({ isClosed, isWhole }) => isClosed || isWhole));
    expect(slow[0]?.isWhole).toBe(false);
    expect(slow.at(-1)?.isWhole).toBe(true);
    await until(() => unsent.bytes === 0);
    const whole = (await app.get(events())) as { events: readonly unknown[] };
    expect(whole.events.length).toBe(eventsPerAnswer);
    expect(unsent.bytes).toBe(0);
  });

  test("are forgotten when their client goes", async () => {
    const unsent = bounded(100 * mib, 100 * mib);
    const client = await SlowClient.open(events());
    await until(() => unsent.bytes > 0);
    client.close();
    await until(() => unsent.bytes === 0);
  });
});

describe("live connections whose clients do not read", () => {
  for (const [what, headers, path] of [
    ["streams", {}, "/stream"],
    ["sockets", handshake, "/live/ws"],
  ] as const) {
    test(`${what} are closed when their account has too much waiting`, async () => {
      const unsent = bounded(4 * mib, 100 * mib);
      for (let n = 0; n < 3; n++) await SlowClient.open(`${path}?project=${shop.id}`, headers);
      await until(() => app.deps.metrics.liveConnections === 3);
      let most = 0;
      for (let sent = 0; sent < 60 && app.deps.metrics.liveConnections > 1; sent++) {
        await flood();
        await Bun.sleep(10);
        most = Math.max(most, unsent.bytes);
      }
      expect(app.deps.metrics.liveConnections).toBe(1);
      expect(most).toBeGreaterThan(2 * mib);
      // A commit and a look of sockets may go beyond it for a moment.
      expect(most).toBeLessThan(12 * mib);
    });
  }
});
