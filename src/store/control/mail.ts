import { and, asc, count, desc, eq, gt, gte, like, lte, max, or, type SQL, sql } from "drizzle-orm";
import { isUrgent, type Letter, type MailKind, unusableStages } from "../../domain/mail/message";
import { mailWaitMs, mailWaitMsMax } from "../../domain/mail/retries";
import { clock, dayMs, hourMs } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { Seal } from "../../lib/seal";
import type { ControlConnection, ControlDatabase } from "./database";
import { type MailRow, mailMessage } from "./mail-tables";

/** Beyond it a message fails at once. */
const mailsWaitingMax = 10_000;
export const mailsShownMax = 200;
const endedKeptMs = 30 * dayMs;
const endedKeptMax = 20_000;

type MailControl = ControlConnection & { readonly identitySecret: string };
/** After this number of tries it is no accident any more. */
const triesOfFailing = 3;

/** The stages at which the mail server is at fault, or what this server knows of it. */
const isUnreachable = or(...unusableStages.map((stage) => like(mailMessage.error, `${stage}: %`)));
const isQueued = eq(mailMessage.state, "queued");

/** Messages to people. */
export const mailQueries = (control: MailControl) => ({
  ...queueQueries(control),
  ...outcomeQueries(control),
  ...overviewQueries(control),
});

function queueQueries({ db, identitySecret }: MailControl) {
  const seal = new Seal(identitySecret, "mail");
  return {
    /** Queues a message. Runs within the transaction of what causes it. */
    add(kind: MailKind, recipient: string, letter: Letter): string {
      const nowMs = clock.nowMs();
      const id = newId("msg");
      const isFull = rowsIn(db, isQueued) >= mailsWaitingMax;
      db.insert(mailMessage)
        .values({
          ...{ id, kind, recipient, isUrgent: isUrgent(kind), createdAtMs: nowMs, dueAtMs: nowMs },
          state: isFull ? "failed" : "queued",
          sealedLetter: isFull ? null : seal.close(JSON.stringify(letter), id),
          ...(isFull && { error: "The queue is full.", endedAtMs: nowMs }),
        })
        .run();
      return id;
    },
    /** Messages of one kind to one address since a time, whatever became of them. */
    queuedSince: (kind: MailKind, recipient: string, sinceMs: number): number =>
      rowsIn(
        db,
        and(
          gt(mailMessage.createdAtMs, sinceMs),
          eq(mailMessage.kind, kind),
          eq(mailMessage.recipient, recipient),
        ),
      ),
    /** The message whose turn it is. One that is due later than any wait was queued under a clock that was ahead. */
    next(nowMs: number): MailRow | undefined {
      const isDue = or(
        lte(mailMessage.dueAtMs, nowMs),
        gt(mailMessage.dueAtMs, nowMs + mailWaitMsMax),
      );
      return db
        .select()
        .from(mailMessage)
        .where(and(isQueued, isDue))
        .orderBy(desc(mailMessage.isUrgent), asc(mailMessage.dueAtMs), asc(sql`rowid`))
        .limit(1)
        .get();
    },
    /** Null when this installation's secret is another one now. */
    letterOf(row: MailRow): Letter | null {
      const json = seal.open(row.sealedLetter ?? "", row.id);
      return json === null ? null : JSON.parse(json);
    },
  };
}

function outcomeQueries(control: MailControl) {
  const { db } = control;
  const end = (id: string, change: Partial<MailRow>): void =>
    control.write(() => {
      const ended = { sealedLetter: null, endedAtMs: clock.nowMs() };
      db.update(mailMessage)
        .set({ ...ended, ...change })
        .where(eq(mailMessage.id, id))
        .run();
    });
  return {
    noteSent: (id: string, tries: number): void => end(id, { state: "sent", tries, error: null }),
    noteFailed: (id: string, tries: number, error: string): void =>
      end(id, { state: "failed", tries, error }),
    noteDelayed: (id: string, tries: number, error: string, dueAtMs: number): void =>
      control.write(() => {
        db.update(mailMessage).set({ tries, error, dueAtMs }).where(eq(mailMessage.id, id)).run();
      }),
    /** Deletes what ended a while ago, and the oldest beyond a number. */
    forgetEnded: (nowMs: number): void =>
      control.write(() => {
        db.delete(mailMessage)
          .where(lte(mailMessage.endedAtMs, nowMs - endedKeptMs))
          .run();
        db.run(sql`
          delete from mail_message
          where id in (
            select id from mail_message
            where ended_at is not null
            order by ended_at desc, rowid desc
            limit -1 offset ${endedKeptMax}
          )`);
      }),
  };
}

function overviewQueries({ db }: MailControl) {
  const endedIn = (state: "sent" | "failed", fromMs: number, toMs: number): number =>
    rowsIn(
      db,
      and(
        eq(mailMessage.state, state),
        gt(mailMessage.endedAtMs, fromMs),
        // A clock that was ahead left others.
        lte(mailMessage.endedAtMs, toMs),
      ),
    );
  return {
    /** Messages that the mail server took in the last hour, which MAIL_PER_HOUR bounds. */
    sentInHour: (nowMs: number): number => endedIn("sent", nowMs - hourMs, nowMs),
    counts: (nowMs: number): MailCounts => ({
      queued: rowsIn(db, isQueued),
      sent24h: endedIn("sent", nowMs - dayMs, nowMs),
      failed24h: endedIn("failed", nowMs - dayMs, nowMs),
    }),
    /**
     * Tells whether the mail server could not be used since it last took a message: a message failed for that within a
     * day, or three tries of one did.
     */
    isFailing(nowMs: number): boolean {
      const newest = db
        .select({ atMs: max(mailMessage.endedAtMs) })
        .from(mailMessage)
        .where(eq(mailMessage.state, "sent"))
        .get();
      const sinceMs = Math.max(newest?.atMs ?? 0, nowMs - dayMs);
      const failed = and(eq(mailMessage.state, "failed"), gt(mailMessage.endedAtMs, sinceMs));
      if (rowsIn(db, and(failed, isUnreachable)) > 0) return true;
      return db
        .select()
        .from(mailMessage)
        .where(and(isQueued, gte(mailMessage.tries, triesOfFailing), isUnreachable))
        .orderBy(desc(mailMessage.dueAtMs))
        .limit(1)
        .all()
        .some(({ dueAtMs, tries }) => dueAtMs - (mailWaitMs(tries) ?? 0) > sinceMs);
    },
    /** Newest first. */
    newest: (): readonly MailRow[] =>
      db
        .select()
        .from(mailMessage)
        .orderBy(desc(mailMessage.createdAtMs), desc(sql`rowid`))
        .limit(mailsShownMax)
        .all(),
  };
}

const rowsIn = (db: ControlDatabase, where: SQL | undefined): number =>
  db.select({ rows: count() }).from(mailMessage).where(where).get()?.rows ?? 0;

export interface MailCounts {
  readonly queued: number;
  readonly sent24h: number;
  readonly failed24h: number;
}
