import type { JsonText, Read } from "../../src/store/port";

interface Timed {
  readonly label: string;
  readonly ms: number;
  readonly projectIds?: readonly string[];
}

const scope = ({ projectIds = [] }: Timed) => ({ projectIds, fromMs: 0, toMs: 1e14 });

/** Touches every segment, as any read does, and thereby asks whether it is to stop. Needs an event to touch. */
const TOUCH_ALL = `
  select event_count(json_group_array(id), 0, 1, '[]') from current_segment`;

/** Takes so long, and asks all the while whether it is to stop, as reads do at each segment. */
export const slowRead: Read<Timed, JsonText<string>> = {
  name: "slow",
  scope,
  run(snapshot, { label, ms }) {
    const endMs = performance.now() + ms;
    while (performance.now() < endMs) snapshot.rows(TOUCH_ALL, {});
    return { json: JSON.stringify(label) };
  },
};

/** Takes so long whatever it is told. */
export const deafRead: Read<Timed, JsonText<string>> = {
  name: "deaf",
  scope,
  run(_, { label, ms }) {
    const endMs = performance.now() + ms;
    while (performance.now() < endMs);
    return { json: JSON.stringify(label) };
  },
};

export const brokenRead: Read<Timed, JsonText<string>> = {
  name: "broken",
  scope,
  run() {
    throw new TypeError("no such thing");
  },
};
