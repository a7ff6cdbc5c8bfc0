import type { ReplaySummary } from "../../domain/replay/summary";
import { bytesOf, LineSum } from "../../reads/export/jsonl";
import type { PersonSummary } from "../../reads/person-summary";
import { recordingsOf } from "../../services/recordings-of-sessions";
import type { ExportStream } from "../../store/exports";
import type { ReplayStore } from "../../store/replay-port";

const feed = 0x0a;

/**
 * A file about a person: the lines of the event store, then those of recordings, which lie elsewhere, and the last line
 * over all of them.
 */
export function personStream(
  events: ExportStream,
  replays: ReplayStore,
  summaries: readonly PersonSummary[],
): ExportStream {
  const pieces = piecesOf(events, replays, summaries);
  return {
    next: async () => {
      const { done = false, value } = await pieces.next();
      return done ? null : value;
    },
    close: () => events.close(),
  };
}

async function* piecesOf(
  events: ExportStream,
  replays: ReplayStore,
  summaries: readonly PersonSummary[],
): AsyncGenerator<Uint8Array, null> {
  const sum = new LineSum();
  let isFirst = true;
  for (;;) {
    const piece = await events.next();
    if (piece === null) break;
    // The first piece is the first line, which is not counted.
    yield sum.add(piece, isFirst ? 0 : linesIn(piece));
    isFirst = false;
  }
  for (const { projectId, sessionIds } of summaries) {
    for await (const replay of recordingsOf(replays, projectId, sessionIds)) {
      for await (const text of lineOf(replays, replay)) yield sum.add(bytesOf(text));
      yield sum.add(bytesOf("\n"), 1);
    }
  }
  yield sum.endLine(null);
  return null;
}

/** A recording is read a few segments at a time: it never lies in memory as a whole. */
async function* lineOf(replays: ReplayStore, replay: ReplaySummary): AsyncGenerator<string> {
  yield `${JSON.stringify({ kind: "replay", ...replay }).slice(0, -1)},"segments":[`;
  let separator = "";
  for (let after: number | null = -1; after !== null; ) {
    const page = await replays.segments(replay.id, after);
    const items = new TextDecoder().decode(page.json).slice(1, -1);
    if (items !== "") yield separator + items;
    if (items !== "") separator = ",";
    after = page.nextAfter;
  }
  yield "]}";
}

function linesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === feed) lines++;
  return lines;
}
