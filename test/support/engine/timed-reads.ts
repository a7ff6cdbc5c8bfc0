import type { JsonText, Read } from "../../../src/store/port";

interface Timed {
  readonly label: string;
  readonly ms: number;
  readonly projectIds?: readonly string[];
}

const scope = ({ projectIds = [] }: Timed) => ({ projectIds, fromMs: 0, toMs: 1e14 });

/**
 * A read holds its thread for this long before it looks again. It sleeps: a busy loop takes a core from other tests.
 */
const lookMs = 5;

/** Takes that long, and asks all the while whether it is to stop, as reads do at each question. */
export const slowRead: Read<Timed, JsonText<string>> = {
  name: "slow",
  scope,
  async run(snapshot, { label, ms }) {
    const endMs = performance.now() + ms;
    while (performance.now() < endMs) {
      await snapshot.storedEvents("");
      Bun.sleepSync(lookMs);
    }
    return { json: JSON.stringify(label) };
  },
};

/** Takes this long whatever it is told. */
export const deafRead: Read<Timed, JsonText<string>> = {
  name: "deaf",
  scope,
  async run(_, { label, ms }) {
    const endMs = performance.now() + ms;
    while (performance.now() < endMs) Bun.sleepSync(lookMs);
    return { json: JSON.stringify(label) };
  },
};

export const brokenRead: Read<Timed, JsonText<string>> = {
  name: "broken",
  scope,
  async run() {
    throw new TypeError("no such thing");
  },
};
