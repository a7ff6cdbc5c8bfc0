import type { PathsRequest } from "../../../domain/counting";
import { Way } from "../../shared/way";
import type { Context } from "../filter/context";
import type { Sessions } from "../session/sessions";
import { valuesPerCheck } from "../sets/budget";
import type { CodesOfRows, NodeCodes } from "./node-codes";
import { type SeeWay, SeveralVisitWays } from "./several-visit-ways";

/** The sessions whose ways are asked for. */
export interface Walked {
  readonly sessions: Sessions;
  /** The place of each session's entry page among `entries`, from 1; 0 for a session that is not walked. */
  readonly entryOf: Uint8Array;
  /** Numbers of pages as `NodeCodes` has them. */
  readonly entries: readonly number[];
}

/**
 * Calls with the way of each session that is walked. Cost: a look at the
 * visits of all sessions in each pass, of which there is mostly one, and at the events up to each way's end.
 */
export function eachWay(
  context: Context,
  walked: Walked,
  nodes: NodeCodes,
  stepsMax: PathsRequest["max_steps"],
  see: SeeWay,
): void {
  const { budget } = context;
  const left = budget.bytesOf(walked.entryOf.length);
  left.set(walked.entryOf);
  for (let isOver = false; !isOver; ) {
    const several = new SeveralVisitWays(context, nodes, stepsMax);
    passOver(
      context,
      { ...walked, entryOf: left },
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
 * Walks sessions of one visit, which nearly all are and whose events are stored in order, where they lie; marks them as
 * walked. Visits of others are gathered.
 */
function passOver(
  context: Context,
  { sessions, entryOf, entries }: Walked,
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
    codes?.letGo();
  }
}
