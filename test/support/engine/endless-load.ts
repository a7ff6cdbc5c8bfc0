import { openEventStore } from "../../../src/store/events/store";
import { numbers } from "./event-store";

/**
 * Appends batches of numbered events from many callers, as fast as it can, until it is killed. A line on standard
 * output names each batch that was sent (`>`) and each that was acknowledged (`<`): first number and size.
 */
const [dataDir, first] = process.argv.slice(2);
const callers = 24;
const batchEventsMax = 60;

const store = await openEventStore({
  ...{ dataDir, durability: "full", cacheBytes: 0, clockOffsetMs: 0 },
  onFatal: (why) => {
    process.stderr.write(why);
    process.exit(1);
  },
});

let next = Number(first);
async function caller(): Promise<void> {
  for (;;) {
    const size = 1 + ((next * 7) % batchEventsMax);
    const from = next;
    next += size;
    process.stdout.write(`> ${from} ${size}\n`);
    await store.append([numbers(from, size)]);
    process.stdout.write(`< ${from} ${size}\n`);
  }
}
await Promise.all(Array.from({ length: callers }, caller));
