import type { Database } from "bun:sqlite";
import { join } from "node:path";
import type { ProjectContext } from "../../../domain/project-context";
import { dayMs } from "../../../lib/clock";
import type { AutomatedDay } from "../../exports";
import type { FileRow, ImportWork } from "../../imports";
import { DiskLinks } from "../../shared/scratch/disk-links";
import { closeScratch, openScratch } from "../../shared/scratch/scratch-file";
import type { Hash } from "../segment/hash";
import { type Basis, hasAutomatedDay, hasTraits } from "./basis";
import type { CheckedFile } from "./checked-file";
import { keyOfRow } from "./seen-keys";
import type { Tally } from "./tally";

const createTable = "create table row (ordinal integer primary key, json text not null)";
const insertRow = "insert into row (ordinal, json) values (?, ?)";
const rowsAfter = "select ordinal, json from row where ordinal > ? order by ordinal limit ?";
const rowsPerStep = 500;

/** Rows whose profile or automated requests are stored, unless another import has stored the same. */
type KeyedRow = Extract<FileRow, { kind: "profile" | "bot_day" }>;
/** Rows that only exports of this product have. */
type OwnRow = KeyedRow | Extract<FileRow, { kind: "identity" | "context" }>;

interface OwnParts {
  readonly db: Database;
  readonly work: ImportWork;
  readonly spool: string;
  readonly seed: bigint;
  readonly basis: Basis;
  readonly tally: Tally;
  /** Returns the id for which an id stands in the project; null if it stands for itself. */
  readonly linkedInProject: (userId: string) => string | null;
  /** Adds the key of a row that another import may have stored. Returns the number of the row. */
  readonly number: (key: Hash) => number;
}

/** The rows of an export besides its events and its sums of days. */
export class OwnRows {
  /** The context that a commit stores. */
  context: ProjectContext | null = null;
  /** Tells whether the file has links, of which the links of the project decide which are stored. */
  hasLinks = false;
  /** Tells whether the file has email addresses, which cannot be stored. */
  hasEmails = false;
  private readonly links: DiskLinks;
  private readonly rows: Database;
  private readonly rowsPath: string;

  constructor(private readonly parts: OwnParts) {
    const { spool } = parts;
    this.links = new DiskLinks(join(spool, "links"));
    this.rowsPath = join(spool, "rows");
    this.rows = openScratch(this.rowsPath, createTable);
  }

  take(row: OwnRow): void {
    if (row.kind === "identity") this.takeLink(row);
    else if (row.kind === "context") this.takeContext(row);
    else {
      if (row.kind === "profile") this.hasEmails ||= row.emails > 0;
      const json = JSON.stringify(row.kind === "profile" ? [row.userId, row.traits] : row.day);
      const ordinal = this.parts.number(keyOfRow(null, json, this.parts.seed));
      this.rows.query(insertRow).run(ordinal, json);
    }
  }

  /** Returns the id for which an id stands after the links of the file are stored; null if it stands for itself. */
  readonly linkedTo = (userId: string): string | null => {
    const end = this.endOf(userId);
    return end === userId ? null : end;
  };

  /** Writes the rows that a commit stores. */
  writeTo(file: CheckedFile, isRepeat: (ordinal: number) => boolean): void {
    for (const links of this.links.pages()) {
      file.within(() => {
        for (const link of links) file.addLink(link);
      });
    }
    for (let after = -1; ; ) {
      const rows = this.rows.query(rowsAfter).all(after, rowsPerStep) as StoredRow[];
      file.within(() => {
        for (const { ordinal, json } of rows) {
          if (isRepeat(ordinal)) this.parts.tally.fates.duplicates++;
          else this.place(JSON.parse(json), json, file);
        }
      });
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.ordinal;
    }
  }
  close(): void {
    this.links.close();
    closeScratch(this.rows, this.rowsPath);
  }

  /** Adds a link, unless clients have already linked the id. */
  private takeLink({ previousId, userId }: Extract<FileRow, { kind: "identity" }>): void {
    const { fates } = this.parts.tally;
    this.hasLinks = true;
    const previous = this.endOf(previousId);
    const target = this.endOf(userId);
    if (previous === target) fates.duplicates++;
    else if (previous !== previousId) fates.overlap++;
    else {
      fates.stored++;
      this.links.link(previousId, target);
    }
  }
  private takeContext({ context }: Extract<FileRow, { kind: "context" }>): void {
    const { work, tally } = this.parts;
    if (work.hasContext) tally.fates.overlap++;
    else if (this.context !== null) tally.fates.duplicates++;
    else {
      tally.fates.stored++;
      this.context = context;
    }
  }
  private place(row: StoredProfile | AutomatedDay, json: string, file: CheckedFile): void {
    const { db, tally, basis, work, seed } = this.parts;
    const { fates } = tally;
    const key = keyOfRow(null, json, seed);
    if ("date" in row) {
      if (hasAutomatedDay(db, basis.project, row)) {
        fates.duplicates++;
        return;
      }
      const startMs = Date.parse(row.date);
      const endMs = startMs + dayMs;
      if (work.overlap === "drop" && endMs > (basis.firstOwnMs ?? endMs)) fates.overlap++;
      else if (endMs <= basis.retainedFromMs) fates.older++;
      else {
        fates.stored++;
        file.addAutomatedDay(row, key);
      }
    } else if (Object.keys(row[1]).length === 0) {
      // The row has only addresses.
      fates.unsupported++;
    } else if (hasTraits(db, basis.project, ...row)) {
      fates.duplicates++;
    } else {
      fates.stored++;
      const [userId, traits] = row;
      // An id that the file itself links keeps its own profile, which reads see again if the link is removed.
      const isLinked = this.parts.linkedInProject(userId) !== null;
      file.addProfile([isLinked ? this.endOf(userId) : userId, traits], key);
    }
  }
  /** Follows the links of the project and of the file in turn. */
  private endOf(userId: string): string {
    for (let at = userId; ; ) {
      const end = this.links.canonical(this.parts.linkedInProject(at) ?? at);
      if (end === at) return at;
      at = end;
    }
  }
}

type StoredProfile = readonly [userId: string, traits: Readonly<Record<string, unknown>>];
interface StoredRow {
  readonly ordinal: number;
  readonly json: string;
}
