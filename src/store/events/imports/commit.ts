import type { Database } from "bun:sqlite";
import { ByteBoundedCache } from "../../../lib/cache";
import { columnsOf } from "../compact/compaction";
import type {
  ImportBegin,
  ImportPlace,
  StagedPeople,
  StagedPiece,
} from "../protocol/import-messages";
import { settledLevel } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { SegmentReader } from "../segment/segment-reader";
import { openForReading } from "../tables";
import { usualTuning } from "../tuning";
import { checkedKeys, checkedProject } from "./checked-file";
import { type CheckedPeople, checkedPeople, nobody } from "./checked-people";

/** The questions of a commit to the writer, in this order. */
export type CommitStep =
  | { readonly kind: "begin"; readonly content: string; readonly events: number }
  | { readonly kind: "number users"; readonly users: readonly string[] }
  | { readonly kind: "stage"; readonly piece: StagedPiece }
  | { readonly kind: "store" };
export type CommitAnswer = ImportPlace | readonly number[] | null;

/** A transaction that numbers as many users takes the writer some milliseconds. */
const usersPerStep = 500;
/** Blocks of keys in one step, of 64 KiB each. */
const keyBlocksPerStep = 16;
/** A piece leaves some megabytes of garbage, of which the heap shows a small part. */
function collectAfter(piece: number): void {
  if (piece % piecesPerCollection === 0) Bun.gc(true);
}
const piecesPerCollection = 4;

const segmentIds = "select id from segment order by id";
const usersByNumber = `
  select number, name from user where project_id = ? and number in (select value from json_each(?))`;
const highestUser = "select coalesce(max(number), 0) as number from user where project_id = ?";

/**
 * Copies a checked file into the store. Its events get the project's numbers of users and consecutive tickets. The
 * caller sends each step to the writer and returns the answer. Pieces that were staged before a crash are skipped.
 */
export function* commitFile(
  file: string,
  { content, events }: Pick<ImportBegin, "content" | "events">,
): Generator<CommitStep, void, CommitAnswer> {
  const { isStored, firstTicket, staged } = (yield {
    kind: "begin",
    content,
    events,
  }) as ImportPlace;
  if (isStored) return;
  const db = openForReading(file);
  try {
    yield* new Commit(db, firstTicket, staged).steps();
  } finally {
    db.close();
  }
  yield { kind: "store" };
}

class Commit {
  private readonly reader: SegmentReader;
  /** The project's number of each user of the file; 0 while it is not known. */
  private readonly numbers: Float64Array;

  constructor(
    private readonly db: Database,
    private readonly firstTicket: number,
    private readonly staged: number,
  ) {
    this.reader = new SegmentReader(db, new ByteBoundedCache(0));
    const { number } = db.query(highestUser).get(checkedProject) as { number: number };
    this.numbers = new Float64Array(number + 1);
  }

  *steps(): Generator<CommitStep, void, CommitAnswer> {
    let number = 0;
    for (const [id] of this.db.query(segmentIds).values() as [number][]) {
      if (++number <= this.staged) continue;
      const segment = this.reader.open(id);
      yield* this.numberUsers(segment.users);
      const segments = this.renumbered(segment);
      yield { kind: "stage", piece: { number, segments, keys: [], people: nobody } };
      this.reader.clearInfos();
      collectAfter(number);
    }
    for (let from = 0; ; from += keyBlocksPerStep) {
      const keys = checkedKeys(this.db, keyBlocksPerStep, from);
      if (keys.length === 0) break;
      if (++number <= this.staged) continue;
      yield { kind: "stage", piece: { number, segments: [], keys, people: nobody } };
      collectAfter(number);
    }
    for (const found of checkedPeople(this.db)) {
      if (++number <= this.staged) continue;
      const people = yield* this.people(found);
      yield { kind: "stage", piece: { number, segments: [], keys: [], people } };
    }
  }

  /** The same under the project's numbers of users. */
  private *people({
    links,
    profiles,
    automated,
  }: CheckedPeople): Generator<CommitStep, StagedPeople, CommitAnswer> {
    yield* this.numberUsers([
      ...links.flatMap(({ user, canonical }) => [user, canonical]),
      ...profiles.map(({ user }) => user),
    ]);
    const { numbers } = this;
    return {
      links: links.map(({ user, canonical }) => [numbers[user], numbers[canonical]]),
      profiles: profiles.map(({ user, traits }) => [numbers[user], traits]),
      automated,
    };
  }

  /** Asks the writer for the missing numbers of users. */
  private *numberUsers(users: Iterable<number>): Generator<CommitStep, void, CommitAnswer> {
    const unknown = [...new Set(users)].filter((user) => user !== 0 && this.numbers[user] === 0);
    for (let at = 0; at < unknown.length; at += usersPerStep) {
      const wanted = JSON.stringify(unknown.slice(at, at + usersPerStep));
      const rows = this.db.query(usersByNumber).all(checkedProject, wanted) as NamedUser[];
      const found = (yield {
        kind: "number users",
        users: rows.map(({ name }) => name),
      }) as readonly number[];
      rows.forEach(({ number }, place) => {
        this.numbers[number] = found[place];
      });
    }
  }

  private renumbered(segment: Segment) {
    const { numbers, firstTicket } = this;
    const users = Uint32Array.from(segment.users, (user) => numbers[user]);
    const tickets = segment.tickets.map((ticket) => firstTicket - 1 + ticket);
    // The other columns of the segment stay as they are.
    const copy: Segment = Object.create(segment, {
      users: { value: users },
      tickets: { value: tickets },
    });
    const { seed } = this.reader;
    const { eventCount } = segment;
    const level = settledLevel;
    return columnsOf([copy], { projectId: 0, eventCount, seed, tuning: usualTuning, level });
  }
}

interface NamedUser {
  readonly number: number;
  readonly name: string;
}
