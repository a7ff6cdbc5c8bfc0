import type { Database } from "bun:sqlite";
import type { FilterItem } from "../../../domain/filter-items";
import type { TimeWindow } from "../../../domain/time-window";
import type { View } from "../../questions";
import type { Context } from "../filter/context";
import { narrowedTo } from "../filter/narrowing";
import type { Segment } from "../segment/segment";

/** The bound values of a statement, by name without the colon. They are never part of its text. */
export type Parameters = Readonly<Record<string, string | number | null>>;

/** The number of a project in the tables. A project without events has number 0, which no row has. */
export interface StoredProject {
  readonly number: number;
  readonly retainedFromMs: number;
}

/** The row of a segment. */
interface StoredSegment {
  readonly id: number;
  readonly first_time: number;
  readonly last_time: number;
  readonly event_count: number;
}

/** Selects the segments that overlap a window and have events within retention. Opening one clips older events. */
const SEGMENTS_WITHIN = `
  select id, first_time, last_time, event_count from current_segment
  where project_id = :project and last_time >= max(:from, :retained_from) and first_time < :to`;

/** Selects all segments of a project, as sessions have events outside the window. */
const SEGMENTS_OF_PROJECT = `
  select id, first_time, last_time, event_count from current_segment
  where project_id = :project and last_time >= :retained_from`;

const PROJECT = "select id, retained_from_ms from project where name = :project";

const noProject: StoredProject = { number: 0, retainedFromMs: 0 };

/**
 * The snapshot that the questions of one read share: a connection within a transaction, and the context of the vector
 * functions. SQL chooses segments and reads plain tables; vector functions compute over columns.
 */
export class OpenSnapshot {
  readonly #projects = new Map<string, StoredProject>();

  constructor(
    private readonly db: Database,
    readonly context: Context,
  ) {}

  /** Returns the snapshot of a share, which has only the events for which all filters hold. */
  narrowedTo(filters: readonly FilterItem[]): OpenSnapshot {
    return new OpenSnapshot(this.db, narrowedTo(this.context, filters));
  }

  /** Executes a statement, which must be a constant: `parameters` binds values. */
  rows<Row>(statement: string, parameters: Parameters): Row[] {
    this.context.check();
    return this.db.query(statement).all(parameters) as Row[];
  }
  row<Row>(statement: string, parameters: Parameters): Row | undefined {
    return this.rows<Row>(statement, parameters)[0];
  }

  /** Returns the number of a statement that selects one row with one column. */
  value(statement: string, parameter: string): number {
    const [[value]] = this.db.query(statement).values(parameter) as [[number]];
    return value;
  }

  project(projectId: string): StoredProject {
    const cached = this.#projects.get(projectId);
    if (cached !== undefined) return cached;
    const row = this.db.query(PROJECT).get({ project: projectId }) as {
      readonly id: number;
      readonly retained_from_ms: number;
    } | null;
    const project =
      row === null ? noProject : { number: row.id, retainedFromMs: row.retained_from_ms };
    if (row !== null) {
      const idsOfWindow = (window: TimeWindow) => idsOf(this.segmentRows({ projectId, ...window }));
      this.context.beginProject(row.id, row.retained_from_ms, idsOfWindow);
    }
    this.#projects.set(projectId, project);
    return project;
  }

  /** Returns the rows of the segments that overlap a window, without opening the segments. */
  segmentRows({ projectId, fromMs, toMs }: View): StoredSegment[] {
    const { number, retainedFromMs } = this.project(projectId);
    const parameters = { project: number, retained_from: retainedFromMs, from: fromMs, to: toMs };
    return this.rows(SEGMENTS_WITHIN, parameters);
  }
  segmentsWithin(view: View): Segment[] {
    return this.context.segments(idsOf(this.segmentRows(view)));
  }
  /** Returns a function that returns the segments of a piece of a view. One statement serves all pieces. */
  segmentsOfPieces(view: View): (piece: TimeWindow) => Segment[] {
    const segments = this.segmentsWithin(view);
    return ({ fromMs, toMs }) =>
      segments.filter((one) => one.lastTime >= fromMs && one.firstTime < toMs);
  }
  segmentsOf(projectId: string): Segment[] {
    const { number, retainedFromMs } = this.project(projectId);
    const parameters = { project: number, retained_from: retainedFromMs };
    return this.context.segments(idsOf(this.rows(SEGMENTS_OF_PROJECT, parameters)));
  }
}

export const idsOf = (rows: readonly { readonly id: number }[]): number[] =>
  rows.map(({ id }) => id);

/** Returns the ids of the segments that overlap a part of a window. */
export const idsWithin = (rows: readonly StoredSegment[], { fromMs, toMs }: TimeWindow): number[] =>
  idsOf(rows.filter((row) => row.last_time >= fromMs && row.first_time < toMs));
