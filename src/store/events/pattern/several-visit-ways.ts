import type { PathsRequest } from "../../../domain/counting";
import { Way } from "../../shared/way";
import type { Context } from "../filter/context";
import type { Segment } from "../segment/segment";
import type { CodesOfRows, NodeCodes } from "./node-codes";

/** The bytes of a gathered visit with its nodes, and of a gathered row. */
const visitBytes = 256;
const rowBytes = 80;

/** Takes the way of a session, and the numbers of its entry and exit page; 0 is no page. */
export type SeeWay = (entry: number, exit: number, way: Way) => void;

/** A visit, and the nodes that a way may take from it. */
interface GatheredVisit {
  readonly segment: Segment;
  readonly visit: number;
  readonly nodes: Uint32Array;
  /** Tells whether the visit has the goal, also after these nodes. */
  readonly isConverted: boolean;
  /** The last page; 0 for none. */
  readonly exit: number;
}
interface GatheredSession {
  readonly entry: number;
  readonly visits: GatheredVisit[];
  /** The events, if visits overlap. */
  readonly rows: GatheredRow[];
}
interface GatheredRow {
  readonly segment: Segment;
  readonly row: number;
  readonly timeMs: number;
  readonly node: number;
  readonly page: number;
}

/**
 * The ways of some sessions of several visits. The visits of a session mostly follow each other, so their starts and
 * ends give the order. If they overlap, it sorts all their events by (time, ticket). Only then does it read these
 * columns, which take longest to load.
 */
export class SeveralVisitWays {
  private readonly gathered = new Map<number, GatheredSession>();
  private readonly way: Way;
  /** A longer way for one visit: the first node of a visit may repeat the last one of the visit before. */
  private readonly wayOfVisit: Way;
  private bytes = 0;
  /** Tells whether another pass has to take more sessions. */
  isFull = false;

  constructor(
    private readonly context: Context,
    private readonly nodes: NodeCodes,
    stepsMax: PathsRequest["max_steps"],
  ) {
    this.way = new Way(nodes.goalCode, stepsMax);
    this.wayOfVisit = new Way(nodes.goalCode, stepsMax + 2);
  }

  /** The sessions of this pass, each with all its visits. */
  get sessions(): Iterable<number> {
    return this.gathered.keys();
  }

  /** Adds a visit, in any order. It adds none of another session when it has as many sessions as it may hold. */
  add(session: number, entry: number, codes: CodesOfRows, visit: number): void {
    const { gatheredSessionsMax } = this.context.tuning;
    const known = this.gathered.get(session);
    if (known === undefined && this.gathered.size === gatheredSessionsMax) {
      this.isFull = true;
      return;
    }
    const { visits } = known ?? this.begin(session, entry);
    this.take(visitBytes);
    const { segment } = codes;
    const exit = codes.walk(visit, entry, this.wayOfVisit);
    const { taken: nodes, isConverted } = this.wayOfVisit;
    visits.push({ segment, visit, exit, nodes, isConverted });
  }

  eachWay(see: SeeWay): void {
    const overlapping: GatheredSession[] = [];
    for (const session of this.gathered.values()) {
      const { visits: gathered } = session;
      const visits = inOrder(gathered, segmentSpan) ?? inOrder(gathered, visitSpan);
      if (visits === null) {
        overlapping.push(session);
        continue;
      }
      const nodes = visits.flatMap((visit) => [...visit.nodes]);
      const exit = visits.findLast((one) => one.exit > 0)?.exit ?? 0;
      this.walk(session, nodes, exit, see);
    }
    this.gatherRows(overlapping);
    for (const session of overlapping) {
      const { rows } = session;
      rows.sort((a, b) => a.timeMs - b.timeMs || ticketOf(a) - ticketOf(b));
      const nodes = rows.map(({ node }) => node);
      this.walk(session, nodes, rows.findLast(({ page }) => page > 0)?.page ?? 0, see);
    }
    this.context.budget.giveBack(this.bytes);
  }

  private begin(session: number, entry: number): GatheredSession {
    const begun = { entry, visits: [], rows: [] };
    this.gathered.set(session, begun);
    return begun;
  }
  private take(bytes: number): void {
    this.context.budget.take(bytes);
    this.bytes += bytes;
  }
  private walk(
    { entry, visits }: GatheredSession,
    nodes: readonly number[],
    exit: number,
    see: SeeWay,
  ): void {
    const { way } = this;
    way.begin(entry);
    for (const node of nodes) if (way.take(node)) break;
    way.isConverted = visits.some(({ isConverted }) => isConverted);
    way.end(exit);
    see(entry, exit, way);
  }

  /** Reads the events of all visits, segment by segment. */
  private gatherRows(sessions: readonly GatheredSession[]): void {
    const { budget } = this.context;
    const all = sessions.flatMap(({ visits, rows }) => visits.map((visit) => ({ ...visit, rows })));
    for (const [segment, visits] of Map.groupBy(all, (one) => one.segment)) {
      this.context.check();
      const codes = this.nodes.in(segment, budget);
      const { firstRows, firstTime, times } = segment;
      for (const { visit, rows } of visits) {
        for (let row = firstRows[visit]; row < firstRows[visit + 1]; row++) {
          this.take(rowBytes);
          const [node, page] = [codes.at(row), codes.pageAt(row)];
          rows.push({ segment, row, timeMs: firstTime + times[row], node, page });
        }
      }
      codes.giveBack();
    }
  }
}

/** Returns the visits in order of time; null if their spans overlap. */
function inOrder(
  visits: readonly GatheredVisit[],
  spanOf: (visit: GatheredVisit) => readonly [startMs: number, endMs: number],
): readonly GatheredVisit[] | null {
  const spans = visits.map((visit) => ({ visit, span: spanOf(visit) }));
  spans.sort((a, b) => a.span[0] - b.span[0]);
  const isOrdered = spans.every(({ span }, at) => at === 0 || span[0] > spans[at - 1].span[1]);
  return isOrdered ? spans.map(({ visit }) => visit) : null;
}
/** The span of the segment mostly suffices, because sessions continue in the segment of the next day. */
const segmentSpan = ({ segment }: GatheredVisit) => [segment.firstTime, segment.lastTime] as const;
function visitSpan({ segment, visit }: GatheredVisit) {
  const startMs = segment.firstTime + segment.integers("visit.start")[visit];
  return [startMs, startMs + segment.integers("visit.duration")[visit]] as const;
}
const ticketOf = ({ segment, row }: GatheredRow): number => segment.ticketAt(row);
