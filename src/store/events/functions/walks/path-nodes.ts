import type { PathsRequest } from "../../../../domain/counting";
import { eventsOutsidePaths } from "../../../../domain/event";
import type { PathNode } from "../../../questions";
import type { Segment } from "../../segment/segment";
import { stringText } from "../../segment/texts";
import type { Budget } from "../budget";
import type { Context } from "../context";
import type { Sessions } from "../sessions/sessions";

interface PathStep {
  readonly event: string;
  readonly path: string | null;
}
interface PlacedStep extends PathStep {
  readonly timeMs: number;
  readonly ticket: number;
}
/** A visit of a session: its place in the list of segments, and its number there. */
type Visit = readonly [segment: number, visit: number];
const none = 0xffff_ffff;

/** This number of sessions is gathered at a time, so that what is held does not grow with their number. */
const sessionsPerBatch = 16_384;

/**
 * Calls for each of the sessions with its events in order of (time, ticket). Cost: a look at the visits of all
 * sessions for each batch, and at the events that the caller takes.
 */
export function eachWay(
  context: Context,
  sessions: Sessions,
  chosen: readonly number[],
  see: (session: number, steps: Iterable<PathStep>) => void,
): void {
  const { budget } = context;
  const segments = sessions.segmentIds.map(context.open);
  const places = budget.words(sessions.count + 1).fill(none);
  const bytesBefore = budget.bytes;
  for (let from = 0; from < chosen.length; from += sessionsPerBatch) {
    const batch = chosen.slice(from, from + sessionsPerBatch);
    batch.forEach((n, place) => {
      places[n] = place;
    });
    const visits = batch.map((): Visit[] => []);
    segments.forEach((segment, index) => {
      context.check();
      const numbers = sessions.numbersIn(segment.id);
      for (let v = 0; v < numbers.length; v++) {
        const place = places[numbers[v]];
        if (place !== none) visits[place].push([index, v]);
      }
    });
    const readers = new Map<number, Reader>();
    const readerOf = (index: number): Reader => {
      const known = readers.get(index) ?? readerIn(segments[index], budget);
      readers.set(index, known);
      return known;
    };
    context.check();
    batch.forEach((n, place) => {
      places[n] = none;
      see(n, stepsOf(visits[place], readerOf));
    });
    budget.giveBackTo(bytesBefore);
  }
}

/** The events of a visit are stored in order; those of several visits may lie among each other. */
function stepsOf(visits: readonly Visit[], readerOf: (segment: number) => Reader) {
  const [only, ...more] = visits;
  if (only === undefined) return [];
  const [segment, visit] = only;
  if (more.length === 0) return readerOf(segment).steps(visit);
  return visits
    .flatMap(([index, v]) => readerOf(index).placed(v))
    .sort((a, b) => a.timeMs - b.timeMs || a.ticket - b.ticket);
}

interface Reader {
  steps(visit: number): Iterable<PathStep>;
  placed(visit: number): PlacedStep[];
}

function readerIn(segment: Segment, budget: Budget): Reader {
  const { firstRows } = segment;
  const eventOf = stringsOf(segment, "event.name", budget);
  const codes = segment.codes("event.name");
  const pathOf = stringsOf(segment, "property.path", budget);
  const pathCodes = segment.codes("property.path");
  const stepAt = (row: number): PathStep => ({
    event: eventOf(codes?.[row] ?? 0) ?? "",
    path: pathOf(pathCodes?.[row] ?? 0) || null,
  });
  return {
    *steps(visit) {
      for (let row = firstRows[visit]; row < firstRows[visit + 1]; row++) yield stepAt(row);
    },
    placed(visit) {
      const found: PlacedStep[] = [];
      for (let row = firstRows[visit]; row < firstRows[visit + 1]; row++) {
        const place = { timeMs: segment.timeAt(row), ticket: segment.ticketAt(row) };
        found.push({ ...stepAt(row), ...place });
      }
      return found;
    },
  };
}

/**
 * Returns the strings of a column's codes: null for a value that is no string. From a large dictionary only those that
 * are asked for are read.
 */
function stringsOf(
  segment: Segment,
  column: string,
  budget: Budget,
): (code: number) => string | null {
  if (!segment.isDictionaryApart(column)) {
    const values = segment.dictionary(column);
    return (code) => {
      const value = values[code - 1];
      return typeof value === "string" ? value : null;
    };
  }
  const texts = segment.texts(column);
  budget.take(texts.byteLength); // it is held until the batch is done, whatever the cache drops
  return (code) => (code > 0 && texts.kinds[code - 1] === stringText ? texts.text(code - 1) : null);
}

/** The nodes of one session up to the goal, the bound, or its end. */
export function nodesOf(
  steps: Iterable<PathStep>,
  entryPage: string,
  exitPage: string | null,
  { goal_event: goal, max_steps: stepsMax }: PathsRequest,
): readonly PathNode[] {
  const nodes: PathNode[] = [];
  const endedAs = (type: "truncated" | "drop_off"): PathNode[] => [
    ...nodes,
    { type, value: exitPage ?? "unknown", exit_page: exitPage },
  ];
  for (const step of steps) {
    const node = nodeOf(step, goal, entryPage);
    const last = nodes.at(-1);
    if (node === null || (last?.type === node.type && last.value === node.value)) continue;
    if (nodes.length === stepsMax) return endedAs("truncated");
    nodes.push(node);
    if (node.type === "goal") return nodes;
  }
  return endedAs("drop_off");
}

function nodeOf({ event, path }: PathStep, goal: string, entryPage: string): PathNode | null {
  if (event === goal) return { type: "goal", value: event };
  if (event === "page_view") {
    return path === null || path === entryPage ? null : { type: "page", value: path };
  }
  return eventsOutsidePaths.has(event) ? null : { type: "event", value: event };
}
