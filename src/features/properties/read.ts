import { isoDate } from "../../domain/event";
import { type Days, windowOf } from "../../domain/period";
import type { Read } from "../../store/port";
import type { ReceivedProperties } from "./schema";

interface ReceivedInput {
  readonly projectId: string;
  readonly days: Days;
  readonly sample: number;
  readonly pairsMax: number;
}

/** GET /properties/received. */
export const receivedRead: Read<ReceivedInput, ReceivedProperties> = {
  name: "properties-received",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  async run(snapshot, { projectId, days, sample, pairsMax }) {
    const view = { projectId, ...windowOf(days) };
    const request = { sample, by_event: true, limit: pairsMax };
    const { pairs, is_cut } = await snapshot.newestKeys(view, request);
    return {
      since: isoDate(days.from),
      sample_size: sample,
      properties: pairs.map(([key, event]) => ({ key, event })),
      ...(is_cut && { truncated: true }),
    };
  },
};
