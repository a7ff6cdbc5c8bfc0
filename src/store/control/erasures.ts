import { and, asc, desc, eq, isNull } from "drizzle-orm";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { Seal } from "../../lib/seal";
import { type ErasureRow, erasure } from "./erasure-tables";
import { dropMentions, type MentionControl } from "./mentions";

/** The part of an erasure that concerns one project. */
export interface ErasureWork {
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly sessionIds: readonly string[];
}

type NewErasure = Pick<
  ErasureRow,
  "accountId" | "projectId" | "reference" | "requestedBy" | "blocks" | "counts"
>;

/** How many are shown. */
const shownMax = 1_000;

export function erasureQueries(control: MentionControl & { readonly identitySecret: string }) {
  const { db } = control;
  const seal = new Seal(control.identitySecret, "erasures");
  return {
    byId: (id: string): ErasureRow | undefined =>
      db.select().from(erasure).where(eq(erasure.id, id)).get(),
    /** Newest first. */
    ofAccount: (accountId: string): readonly ErasureRow[] =>
      db
        .select()
        .from(erasure)
        .where(eq(erasure.accountId, accountId))
        .orderBy(desc(erasure.requestedAtMs), desc(erasure.id))
        .limit(shownMax)
        .all(),
    /** Oldest first. */
    running: (): readonly ErasureRow[] =>
      db
        .select()
        .from(erasure)
        .where(isNull(erasure.erasedAtMs))
        .orderBy(asc(erasure.requestedAtMs), asc(erasure.id))
        .all(),
    /** Notes an erasure. Runs within a change. */
    add(made: NewErasure, work: readonly ErasureWork[]): ErasureRow {
      const id = newId("ers");
      const sealedWork = seal.close(JSON.stringify(work), id);
      const row = { id, ...made, sealedWork, requestedAtMs: clock.nowMs() };
      return db.insert(erasure).values(row).returning().get();
    },
    workOf({ id, sealedWork }: ErasureRow): readonly ErasureWork[] {
      const work: readonly ErasureWork[] = JSON.parse(seal.open(sealedWork ?? "", id) ?? "[]");
      return work;
    },
    /** No read shows anything of the person. */
    hidden: (id: string, backupsUntilMs: number | null): void =>
      control.write(() => {
        const hiddenAtMs = clock.nowMs();
        const isOpen = and(eq(erasure.id, id), isNull(erasure.hiddenAtMs));
        db.update(erasure).set({ hiddenAtMs, backupsUntilMs }).where(isOpen).run();
      }),
    /** No file has anything of the person. `noted` runs in the same commit, once for an erasure. */
    done: (id: string, noted: (row: ErasureRow) => void): void =>
      control.write(() => {
        const done = { erasedAtMs: clock.nowMs(), sealedWork: null };
        const isOpen = and(eq(erasure.id, id), isNull(erasure.erasedAtMs));
        const row = db.update(erasure).set(done).where(isOpen).returning().get();
        if (row !== undefined) noted(row);
      }),
    /** Drops what members made about one of the ids. Returns whether there was any. */
    dropMentions: (work: ErasureWork): boolean => control.write(() => dropMentions(control, work)),
  };
}
