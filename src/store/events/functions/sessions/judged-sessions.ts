import type { SessionDimension } from "../../../../domain/counting";
import type { Segment } from "../../segment/segment";
import type { Workspace } from "../workspace";
import { Homes, Interactions, type SessionColumns, Times, VisitSums } from "./session-columns";
import { numberSessions, type SessionNumbers } from "./session-numbers";
import { type SeveralVisits, severalVisitsIn } from "./several-visits";

/** The segments a read is about, and the rest of the project, where the same sessions may go on. */
export interface SessionSource {
  readonly inside: readonly Segment[];
  readonly others: readonly Segment[];
}

/** The table of sessions with what the visits of segments tell of each, as far as it was asked for. */
export class JudgedSessions implements Omit<SessionNumbers, "bytes"> {
  count: number;
  readonly of: Map<number, Uint32Array>;
  /** Segments with an event of these sessions. */
  readonly segmentIds: number[] = [];
  /** What was asked for. */
  readonly columns: SessionColumns[] = [];
  private knownInteractions: Interactions | null = null;
  private knownTimes: Times | null = null;
  private knownEvents: VisitSums | null = null;
  private knownPageViews: VisitSums | null = null;
  private knownHomes: Homes | null = null;

  /** To be forgotten when sessions are not what they were. */
  protected knownSeveral: SeveralVisits | null = null;

  /** `numbers` are those of sessions with an event inside, or of some of these. */
  constructor(
    settled: SessionSource,
    protected readonly workspace: Workspace,
    numbers: SessionNumbers = numberSessions(settled.inside, settled.others, workspace.budget),
  ) {
    this.count = numbers.count;
    this.of = numbers.of;
    for (const { id } of [...settled.inside, ...settled.others]) {
      if (numbers.of.has(id)) this.segmentIds.push(id);
    }
  }

  /** One number per visit of a segment. */
  numbersIn(segmentId: number): Uint32Array {
    return this.of.get(segmentId) ?? none;
  }

  /** Those of which more than one visit may say something: of the others nothing has to be compared. */
  get severalVisits(): SeveralVisits {
    this.knownSeveral ??= severalVisitsIn(this, this.workspace.budget);
    return this.knownSeveral;
  }

  /** Tells whether all that sums of these groups are made of was asked for before. */
  isKnownFor(by: SessionDimension): boolean {
    const isKnown = this.knownTimes !== null && this.knownInteractions !== null;
    if (by === "all") return isKnown && this.knownPageViews !== null && this.knownHomes !== null;
    return isKnown && this.knownEvents !== null;
  }
  get interactive(): Uint8Array {
    this.knownInteractions ??= this.filled(new Interactions(this.count, this.workspace));
    return this.knownInteractions.of;
  }
  protected get areTimesKnown(): boolean {
    return this.knownTimes !== null;
  }
  get start(): Float64Array {
    return this.times.start;
  }
  get end(): Float64Array {
    return this.times.end;
  }
  private get times(): Times {
    this.knownTimes ??= this.filled(new Times(this.count, this.workspace));
    return this.knownTimes;
  }
  get events(): Uint32Array {
    this.knownEvents ??= this.filled(new VisitSums("visit.events", this.count, this.workspace));
    return this.knownEvents.of;
  }
  get pageViews(): Uint32Array {
    this.knownPageViews ??= this.filled(
      new VisitSums("visit.page_views", this.count, this.workspace),
    );
    return this.knownPageViews.of;
  }
  /** The user numbers as stored (`Homes`). */
  get user(): Uint32Array {
    return this.homes.user;
  }
  protected get homes(): Homes {
    this.knownHomes ??= this.filled(new Homes(this.count, this.workspace));
    return this.knownHomes;
  }

  /** A further session, without an event yet. Returns its number. */
  add(): number {
    const n = ++this.count;
    for (const columns of this.columns) columns.begin(n);
    return n;
  }

  protected get columnBytes(): number {
    return this.columns.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  private filled<Columns extends SessionColumns>(columns: Columns): Columns {
    this.fill(columns);
    this.columns.push(columns);
    return columns;
  }
  protected fill(columns: SessionColumns): void {
    this.fillFrom(this.segmentIds, columns);
  }
  protected fillFrom(segmentIds: readonly number[], columns: SessionColumns): void {
    for (const id of segmentIds) {
      this.workspace.check();
      columns.addSegment(this.workspace.open(id), this.numbersIn(id));
    }
  }
}

const none = new Uint32Array(0);
