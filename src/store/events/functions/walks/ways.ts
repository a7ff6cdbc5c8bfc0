import type { Way } from "../../../shared/way";
import { valuesPerCheck } from "../budget";
import type { Context } from "../context";
import type { Sessions } from "../sessions/sessions";
import type { CodesOfRows, NodeCodes } from "./node-codes";

/** This number of sessions is gathered at a time, so that what is held does not grow with their number. */
const sessionsPerBatch = 16_384;

/**
 * Calls with the way of each marked session. Nearly all sessions are of one visit, whose events are stored in order:
 * these are walked where they lie. Cost: a look at the visits of all sessions, once and again for each batch of those
 * of several visits, and at the events up to each way's end.
 */
export function eachWay(
  context: Context,
  sessions: Sessions,
  marks: Uint8Array,
  nodes: NodeCodes,
  way: Way,
  see: (session: number) => void,
): void {
  const { budget } = context;
  const { entry, exit } = sessions.pages;
  const { places } = sessions.severalVisits;
  for (const id of sessions.segmentIds) {
    context.check();
    const bytesBefore = budget.bytes;
    const numbers = sessions.numbersIn(id);
    const segment = context.open(id);
    let codes: CodesOfRows | null = null;
    let firstRows: Uint32Array = noRows;
    for (let visit = 0; visit < numbers.length; visit++) {
      if (visit % valuesPerCheck === 0) context.check();
      const n = numbers[visit];
      if (marks[n] === 0 || places[n] > 0) continue;
      if (codes === null) {
        codes = nodes.in(segment, budget);
        ({ firstRows } = segment);
      }
      way.begin(entry[n] + 1);
      for (let row = firstRows[visit]; row < firstRows[visit + 1]; row++) {
        if (way.take(codes.at(row))) break;
      }
      way.end(exit[n] + 1);
      see(n);
    }
    budget.giveBackTo(bytesBefore);
  }
  const several: number[] = [];
  for (let n = 1; n <= sessions.count; n++) if (marks[n] > 0 && places[n] > 0) several.push(n);
  for (let from = 0; from < several.length; from += sessionsPerBatch) {
    const batch = several.slice(from, from + sessionsPerBatch);
    eachOfSeveralVisits(context, sessions, batch, nodes, (n, steps) => {
      way.begin(entry[n] + 1);
      for (const { code } of steps) if (way.take(code)) break;
      way.end(exit[n] + 1);
      see(n);
    });
  }
}

const noRows = new Uint32Array(0);
const none = 0xffff_ffff;

interface Step {
  readonly code: number;
  readonly timeMs: number;
  readonly ticket: number;
}

/** Calls for each of some sessions with its events of all visits, in order of (time, ticket). */
function eachOfSeveralVisits(
  context: Context,
  sessions: Sessions,
  batch: readonly number[],
  nodes: NodeCodes,
  see: (session: number, steps: readonly Step[]) => void,
): void {
  const { budget } = context;
  const bytesBefore = budget.bytes;
  const places = budget.words(sessions.count + 1).fill(none);
  batch.forEach((n, place) => {
    places[n] = place;
  });
  const steps = batch.map((): Step[] => []);
  for (const id of sessions.segmentIds) {
    context.check();
    const numbers = sessions.numbersIn(id);
    const segment = context.open(id);
    let codes: CodesOfRows | null = null;
    for (let visit = 0; visit < numbers.length; visit++) {
      const place = places[numbers[visit]];
      if (place === none) continue;
      codes ??= nodes.in(segment, budget);
      for (let row = segment.firstRows[visit]; row < segment.firstRows[visit + 1]; row++) {
        budget.take(stepBytes);
        const timeMs = segment.timeAt(row);
        steps[place].push({ code: codes.at(row), timeMs, ticket: segment.ticketAt(row) });
      }
    }
  }
  batch.forEach((n, place) => {
    steps[place].sort((a, b) => a.timeMs - b.timeMs || a.ticket - b.ticket);
    see(n, steps[place]);
  });
  budget.giveBackTo(bytesBefore);
}
/** An object of three numbers, and its place in a list. */
const stepBytes = 48;
