import type { PathsRequest } from "../../../domain/counting";
import { Way } from "../../shared/way";
import type { Context } from "../filter/context";
import type { Sessions } from "../session/sessions";
import { valuesPerCheck } from "../sets/budget";
import type { CodesOfRows, NodeCodes } from "./node-codes";
import { type SeeWay, SeveralVisitWays } from "./several-visit-ways";

/** The sessions to walk, by their entry page. */
export interface SessionsByEntry {
  readonly sessions: Sessions;
  /** The place of each session's entry page among `entries`, from 1; 0 for a session that takes no part. */
  readonly entryOf: Uint8Array;
  /** The entry pages, by their numbers in `NodeCodes`. */
  readonly entries: readonly number[];
}

/**
 * Calls `see` with the way of each session. Cost: a pass over the visits of all sessions, mostly only one, and over the
 * events up to the end of each way.
 */
export function eachWay(
  context: Context,
  sessions: SessionsByEntry,
  nodes: NodeCodes,
  stepsMax: PathsRequest["max_steps"],
  see: SeeWay,
): void {
  const { budget } = context;
  const left = budget.bytesOf(sessions.entryOf.length);
  left.set(sessions.entryOf);
  for (let isOver = false; !isOver; ) {
    const several = new SeveralVisitWays(context, nodes, stepsMax);
    passOver(
      context,
      { ...sessions, entryOf: left },
      nodes,
      new Way(nodes.goalCode, stepsMax),
      see,
      several,
    );
    for (const n of several.sessions) left[n] = 0;
    several.eachWay(see);
    isOver = !several.isFull;
  }
}

/**
 * Walks the sessions of one visit, whose events are stored in order, and sets their entry to 0. Nearly all sessions
 * have one visit. `several` gathers the visits of the others.
 */
function passOver(
  context: Context,
  { sessions, entryOf, entries }: SessionsByEntry,
  nodes: NodeCodes,
  way: Way,
  see: SeeWay,
  several: SeveralVisitWays,
): void {
  const { budget } = context;
  const { places } = sessions.links;
  for (const id of sessions.segmentIds) {
    context.check();
    const segment = context.open(id);
    const numbers = sessions.numbersIn(id);
    let codes: CodesOfRows | null = null;
    for (let visit = 0; visit < numbers.length; visit++) {
      if (visit % valuesPerCheck === 0) context.check();
      const n = numbers[visit];
      if (entryOf[n] === 0) continue;
      codes ??= nodes.in(segment, budget);
      const entry = entries[entryOf[n] - 1];
      if (places[n] > 0) {
        several.add(n, entry, codes, visit);
        continue;
      }
      const exit = codes.walk(visit, entry, way);
      way.end(exit);
      see(entry, exit, way);
      entryOf[n] = 0;
    }
    codes?.giveBack();
  }
}
