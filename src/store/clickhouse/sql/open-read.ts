import { ApiError } from "../../../domain/errors";
import { countGroupsMax, oncePerValuesMax } from "../../../domain/limits";
import { ReadCancelled } from "../../protocol/failure";
import { type ClickHouse, ClickHouseRefused } from "../client";
import type { Settings } from "../cluster-settings";
import type { Moment, ProjectAt } from "../moment";
import { Bound } from "./bound";

/** With these codes ClickHouse says that a read takes more groups, values or memory, or more time, than it may. */
const tooMuch: ReadonlySet<number> = new Set([158, 191, 241, 307, 395, 396]);
const tooSlow: ReadonlySet<number> = new Set([159, 160]);

const readSettings: Settings = {
  max_execution_time: 10,
  max_rows_to_group_by: countGroupsMax,
  group_by_overflow_mode: "throw",
  // A read after an acknowledgement sees it on every replica.
  select_sequential_consistency: 1,
  cancel_http_readonly_queries_on_client_close: 1,
  max_query_size: 4_000_000,
};

const noProject: ProjectAt = { number: 0, retainedFromMs: 0 };

/** Returns the table of events, or a select of some of its rows, of which those of the project are asked for. */
type EventTable = (bound: Bound, projectId: string) => string;

/** The parts of a read's request that its statements depend on, and its limits. */
export interface ReadTerms {
  readonly ownHosts?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The most different values of `once_per`. */
  readonly oncePerValuesMax?: number | undefined;
}

/** One read, whose statements all see what was acknowledged when it began, whatever is stored meanwhile. */
export class OpenRead {
  constructor(
    private readonly clickhouse: ClickHouse,
    readonly moment: Moment,
    private readonly terms: ReadTerms = {},
    private readonly narrowedEvents?: EventTable,
  ) {}

  /** The same read, in which there are no other events. */
  narrowed(events: EventTable): OpenRead {
    return new OpenRead(this.clickhouse, this.moment, this.terms, events);
  }
  get ownHosts(): readonly string[] {
    return this.terms.ownHosts ?? [];
  }
  get oncePerValuesMax(): number {
    return this.terms.oncePerValuesMax ?? oncePerValuesMax;
  }
  eventTable(bound: Bound, projectId: string): string {
    return this.narrowedEvents?.(bound, projectId) ?? `${this.database}.event`;
  }

  get database(): string {
    return this.clickhouse.database;
  }
  project(projectId: string): ProjectAt {
    return this.moment.projects.get(projectId) ?? noProject;
  }
  private get isCancelled(): boolean {
    return this.terms.signal?.aborted === true;
  }
  hasLinks(projectId: string): boolean {
    return this.moment.linked.has(this.project(projectId).number);
  }

  async ask<Row>(statement: string, bound: Bound = new Bound()): Promise<Row[]> {
    if (this.isCancelled) throw new ReadCancelled();
    const { signal } = this.terms;
    const options = { settings: readSettings, ...(signal && { signal }) };
    try {
      return await this.clickhouse.rows<Row>(statement, bound.values, options);
    } catch (error) {
      if (this.isCancelled) throw new ReadCancelled();
      if (error instanceof ClickHouseRefused) {
        if (tooMuch.has(error.code)) throw takesTooMuch();
        if (tooSlow.has(error.code)) throw takesTooLong();
      }
      throw error;
    }
  }
}

const takesTooMuch = (): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    "The answer takes more memory than a read may have. Group by less, filter more, or ask for fewer days.",
  );
const takesTooLong = (): ApiError =>
  new ApiError("QUERY_FAILED", "The read took longer than 10 seconds. Ask for fewer days.");
