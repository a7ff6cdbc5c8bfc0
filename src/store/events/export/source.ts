import type { ExportSource } from "../../exports";
import { ticketOfUlid } from "../../shared/ticket";
import { eventsById } from "../functions/events-by-id";
import type { OpenSnapshot } from "../questions/open-snapshot";

/** This engine's lists of a project. They last as long as the snapshot. */
export function exportSourceOf(snapshot: OpenSnapshot): ExportSource {
  const { context } = snapshot;
  return {
    async *events(view, afterId) {
      const after = afterId === null ? 0 : ticketOfUlid(afterId);
      yield* eventsById(context, snapshot.segmentsWithin(view), view, after);
    },
  };
}
