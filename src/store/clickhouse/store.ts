import type { ClickHousePlace } from "../../config-clickhouse";
import { ApiError } from "../../domain/errors";
import { clock, secondMs } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import type { Export, ExportStream } from "../exports";
import type {
  Answer,
  Appended,
  Entry,
  EventStore,
  Read,
  ReadRequest,
  Scope,
  StoredEvents,
  StoredTime,
  StoreHealth,
} from "../port";
import { ReadCancelled } from "../protocol/failure";
import type { Snapshot } from "../questions";
import { Appends } from "../shared/append/appends";
import { ofEventsAlone } from "../shared/narrowed-questions";
import { personIds } from "../shared/person-ids";
import { ticketTimeMs } from "../shared/ticket";
import { StorageState } from "../storage-state";
import { ClickHouse, ClickHouseRefused } from "./client";
import { ErasedBytes } from "./erased-bytes";
import { Erasures } from "./erasures";
import { shownOfRead } from "./flags";
import { migrate } from "./migrate";
import { refuseIfHalfMoved } from "./move/note";
import { OpenExports } from "./open-exports";
import { unmasked } from "./questions/masks";
import { questionsOf } from "./questions/questions";
import { factsOf, versionOf } from "./questions/stored";
import { ReadGate } from "./read-gate";
import { refusedFor } from "./refused-for";
import { narrowedTo } from "./sql/narrowed";
import { OpenRead } from "./sql/open-read";
import { storedBytes } from "./stored-bytes";
import { Writer } from "./writer/writer";

export interface ClickHouseStoreOptions extends ClickHousePlace {
  /** The most different values of `once_per`; absent for the default. */
  readonly oncePerValuesMax?: number;
  /** It is called with the events of each commit before their senders are answered. */
  readonly onStored?: (stored: StoredEvents) => void;
  /** It is called when nothing can be stored any more: requests are refused, and the process should end. */
  onFatal(why: string): void;
}

/** This many reads run at a time. Each sends a few statements, which ClickHouse executes in parallel. */
const readsMax = 64;
/** A read has answered or failed by then. */
const readMsMax = 10 * secondMs;

/** Makes the tables that do not exist, and removes the rows of a commit that was never finished. */
export async function openClickHouseStore(options: ClickHouseStoreOptions): Promise<EventStore> {
  const clickhouse = new ClickHouse(options);
  return refusedFor(options, async () => {
    await migrate(clickhouse);
    await refuseIfHalfMoved(clickhouse);
    return new Store(clickhouse, await Writer.open(clickhouse, options.onFatal), options);
  });
}

class Store implements EventStore {
  private readonly appends: Appends;
  private readonly storage: StorageState;
  private sweepTimer: Timer | null = null;
  private readonly gate = new ReadGate();
  private readonly exports = new OpenExports();
  private isClosed = false;

  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly writer: Writer,
    private readonly options: ClickHouseStoreOptions,
  ) {
    const { onStored, database } = options;
    this.storage = new StorageState({
      ...{ file: database, what: "events" },
      probe: () => writer.probe(),
    });
    this.appends = new Appends({
      commit: (group) => writer.commit(group),
      refusal: () => (this.storage.isFailed ? unavailable() : null),
      stored: () => this.storage.worked(),
      announce: onStored ?? null,
      storageFailed: (error) => {
        if ("sqliteCode" in error) this.storage.failed(error);
      },
    });
    this.erasures = new Erasures({
      ...{ writer, gate: this.gate, bytes: new ErasedBytes(clickhouse) },
      settled: () => this.appends.settled(),
      cutExports: (projectId) => this.exports.cut(projectId),
    });
    this.sweepLater();
  }

  append(entries: readonly Entry[]): Promise<Appended> {
    return this.appends.append(entries);
  }

  async read<Input, Output>(
    read: Read<Input, Output>,
    input: Input,
    request: ReadRequest,
  ): Promise<Answer<Output>> {
    if (this.gate.count >= readsMax) throw tooManyReads();
    await this.gate.enter();
    const startedAt = performance.now();
    const throughMs = clock.nowMs();
    const left = Math.max(0, readMsMax - (throughMs - request.arrivedAtMs));
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(left)]);
    const { ownHosts } = request;
    const { oncePerValuesMax } = this.options;
    const terms = { ownHosts, signal, oncePerValuesMax };
    const open = new OpenRead(this.clickhouse, this.writer.moment, terms);
    try {
      const asked = request.facts ?? { projectIds: [] };
      const question = await unmasked(open, asked.projectIds, input);
      const questions = await questionsFor(open, read.scope(input), request);
      const answer = jsonOf(await read.run(questions, question));
      const isExact = read.isExact?.(input) ?? false;
      const { json, flagged } = shownOfRead(answer, asked, isExact);
      const masked = (text: string): string => shownOfRead(text, asked, isExact).json;
      const ids = await personIds(read, questions, question, asked, masked);
      const facts = { ...(await factsOf(open, asked)), ...ids };
      return {
        json,
        facts: { throughMs, flagged, ...facts },
        queueMs: 0,
        storeMs: performance.now() - startedAt,
      };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // A client that hangs up gets no answer: it must not be taken for a fault of the server.
      if (request.signal.aborted || error instanceof ReadCancelled) throw tooSlow();
      if (error instanceof ClickHouseRefused) {
        log("error", "ClickHouse refused a statement", { read: read.name, code: error.code });
      }
      throw unavailable();
    } finally {
      this.gate.leave();
    }
  }

  /** Files are imported by the other engine alone. */
  readonly imports = null;
  readonly erasures: Erasures;

  async openExport<Input>(what: Export<Input>, input: Input): Promise<ExportStream> {
    if (this.isClosed) throw unavailable();
    await this.gate.enter();
    this.gate.leave();
    const openRead = (ended: AbortSignal): OpenRead =>
      new OpenRead(this.clickhouse, this.writer.moment, { signal: ended });
    return this.exports.start(openRead, what, input);
  }

  forget(projectId: string, retainedFromMs: number): Promise<void> {
    return this.hiding(this.writer.forget(projectId, retainedFromMs));
  }
  knownTime(): StoredTime {
    const { lastTicket, projects } = this.writer.moment;
    const retained = [...projects.values()].map(({ retainedFromMs }) => retainedFromMs);
    return {
      newestCommitMs: lastTicket === 0 ? null : ticketTimeMs(lastTicket),
      retainedFromMs: retained.reduce((latest, ms) => Math.max(latest, ms), 0),
    };
  }
  showAgain(aheadOfMs: number, retainedFromMs: number): Promise<void> {
    return this.writer.showAgain(aheadOfMs, retainedFromMs);
  }
  purge(projectId: string): Promise<void> {
    return this.hiding(this.writer.purge(projectId));
  }
  replaceProject(projectId: string, stagingId: string): Promise<void> {
    return this.hiding(this.writer.replaceProject(projectId, stagingId));
  }
  endMembership(projectId: string, membership: string): Promise<void> {
    return this.writer.endMembership(projectId, membership);
  }
  unlink(projectId: string, previousId: string, membership: string | null): Promise<string | null> {
    return this.writer.unlink(projectId, previousId, membership);
  }

  async receivedEvents(fromDate: string, toDate: string): Promise<ReadonlyMap<string, number>> {
    const { projects, lastCommit } = this.writer.moment;
    const rows = await this.clickhouse.rows<{ project: number; events: number }>(
      `select project, sum(counted) as events from (
        select project, date, argMax(event_count, commit) as counted from ${this.clickhouse.database}.received_day
        where date between {from:String} and {to:String} and commit <= {commit:UInt64} group by project, date
      ) group by project`,
      { from: fromDate, to: toDate, commit: lastCommit },
    );
    const counts = new Map(rows.map(({ project, events }) => [project, events]));
    return new Map(
      [...projects].flatMap(([name, { number }]): [string, number][] => {
        const events = counts.get(number);
        return events === undefined ? [] : [[name, events]];
      }),
    );
  }

  storedBytes(projectIds: readonly string[] | null): Promise<ReadonlyMap<string, number>> {
    return storedBytes(this.clickhouse, this.writer.moment.projects, projectIds);
  }

  versionOf(projectIds: readonly string[]): number {
    return versionOf(this.writer.moment.versions, projectIds);
  }

  health(): StoreHealth {
    return {
      storage: this.storage.isFailed || this.writer.isFailed ? "failed" : "ok",
      queue: this.appends.isOk ? "ok" : "failed",
      queuedEvents: this.appends.queuedEvents,
      storageErrors: this.storage.errors,
      isDamaged: !this.storage.damage.isEmpty,
      inserts: this.writer.inserts,
    };
  }

  async close(): Promise<void> {
    if (this.sweepTimer !== null) clearTimeout(this.sweepTimer);
    this.isClosed = true;
    this.exports.close();
    await this.appends.close();
    await this.writer.close();
    this.storage.close();
  }

  private async hiding(change: Promise<void>): Promise<void> {
    await change;
    this.sweepLater();
  }
  /** Hidden rows are deleted once no read can see them any more, those that an earlier process left among them. */
  private sweepLater(): void {
    this.sweepTimer ??= setTimeout(async () => {
      this.sweepTimer = null;
      if (!this.exports.isEmpty) return this.sweepLater();
      try {
        await this.writer.sweep();
      } catch (error) {
        log("warn", "could not delete hidden rows", describeFault(error));
        this.sweepLater();
      }
    }, hiddenKeptMs);
  }
}

/** A share with filters asks about some of the events of one project. */
async function questionsFor(
  open: OpenRead,
  { projectIds: [projectId] }: Scope,
  { narrowedBy = [] }: ReadRequest,
): Promise<Snapshot> {
  if (narrowedBy.length === 0 || projectId === undefined) return questionsOf(open);
  return ofEventsAlone(questionsOf(await narrowedTo(open, projectId, narrowedBy)));
}

/** No read that may still see hidden rows takes longer than this. Exports do, and rows wait until they end. */
const hiddenKeptMs = 60 * secondMs;

const unavailable = (): ApiError =>
  new ApiError("UNAVAILABLE", "ClickHouse does not respond. Send the request again in a second.", {
    retry_after_seconds: 1,
  });
const tooManyReads = (): ApiError =>
  new ApiError("UNAVAILABLE", "Too many reads are running. Send the request again in a second.", {
    retry_after_seconds: 1,
  });
const tooSlow = (): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    "The read took longer than 10 s. Request a shorter period or fewer groups.",
  );

/** An answer that is JSON text has the field `json` and no other. */
function jsonOf(answer: unknown): string {
  const isText = answer instanceof Object && "json" in answer && Object.keys(answer).length === 1;
  return isText && typeof answer.json === "string" ? answer.json : JSON.stringify(answer);
}
