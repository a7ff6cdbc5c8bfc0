import { and, asc, desc, eq, isNull } from "drizzle-orm";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { Seal } from "../../lib/seal";
import { alert } from "./alert-tables";
import type { ControlConnection } from "./database";
import { type ErasureRow, erasure } from "./erasure-tables";
import { goal } from "./goal-tables";
import { savedView, share } from "./share-tables";

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

export function erasureQueries(control: ControlConnection & { readonly identitySecret: string }) {
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
    /** Drops what members made about one of the ids: views, shares, alerts and goals. Returns whether there was any. */
    dropMentions: (work: ErasureWork): boolean => control.write(() => dropMentions(control, work)),
  };
}

function dropMentions({ db }: ControlConnection, { projectId, ids }: ErasureWork): boolean {
  const named = new Set(ids);
  const views = db.select().from(savedView).where(eq(savedView.projectId, projectId)).all();
  const shares = db.select().from(share).where(eq(share.projectId, projectId)).all();
  const alerts = db.select().from(alert).where(eq(alert.projectId, projectId)).all();
  const goals = db.select().from(goal).where(eq(goal.projectId, projectId)).all();
  const aboutViews = views.filter(({ address }) => wordsOf(address).some((one) => named.has(one)));
  const aboutShares = shares.filter(({ filters }) => mentions(filters, named));
  const aboutAlerts = alerts.filter(({ spec }) => mentions(spec, named));
  const aboutGoals = goals.filter(({ filters }) => mentions(filters, named));
  for (const { id } of aboutViews) db.delete(savedView).where(eq(savedView.id, id)).run();
  for (const { id } of aboutShares) db.delete(share).where(eq(share.id, id)).run();
  for (const { id } of aboutAlerts) db.delete(alert).where(eq(alert.id, id)).run();
  for (const { id } of aboutGoals) db.delete(goal).where(eq(goal.id, id)).run();
  return [aboutViews, aboutShares, aboutAlerts, aboutGoals].some(({ length }) => length > 0);
}

/** Tells whether one of the texts is a value anywhere in an object. */
function mentions(value: unknown, named: ReadonlySet<string>): boolean {
  if (typeof value === "string") return named.has(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((one) => mentions(one, named));
}

/** The parts of the address of a page between its marks, decoded. */
function wordsOf(address: string): string[] {
  const parts = address.split(/[/?&=#]/);
  return parts.flatMap((part) => {
    const text = decoded(part);
    return [text, ...text.split(/[:,|"'[\]{}\s]+/)];
  });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch {
    return part;
  }
}
