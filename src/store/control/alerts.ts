import { and, asc, count, desc, eq, gt, gte, isNull, lt, sql } from "drizzle-orm";
import { type AlertSpec, alertsPerProjectMax } from "../../domain/alerts/specs";
import { clock, dayMs } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { type AlertRow, alert, alertEpisode, heldAlertMail } from "./alert-tables";
import type { ControlConnection } from "./database";
import { mailMessage } from "./mail-tables";
import { requireRoom } from "./shares";
import type { subscriptionQueries } from "./subscriptions";
import { account, type ProjectRow, project } from "./tables";

type AlertControl = ControlConnection & {
  readonly subscriptions: Pick<ReturnType<typeof subscriptionQueries>, "drop">;
};

export const episodesShownMax = 20;
/** The alerts that a report lists. */
export const firedShownMax = 20;

/** The slot for which a rule was judged. */
export interface QuietSlot {
  readonly alert: Pick<AlertRow, "id" | "slot">;
  readonly slot: string;
}

/** Rules that a project's numbers are held against. */
export const alertQueries = (control: AlertControl) => ({
  ...ruleQueries(control),
  ...outcomeQueries(control),
  ...heldQueries(control),
});

function ruleQueries(control: AlertControl) {
  const { db, subscriptions } = control;
  return {
    byId: (id: string): AlertRow | undefined =>
      db.select().from(alert).where(eq(alert.id, id)).get(),
    /** Oldest first. */
    ofProject: (projectId: string): readonly AlertRow[] =>
      db
        .select()
        .from(alert)
        .where(eq(alert.projectId, projectId))
        .orderBy(asc(alert.createdAtMs), asc(sql`rowid`))
        .all(),
    /** The rules of all live projects. */
    all: (): readonly { readonly alert: AlertRow; readonly project: ProjectRow }[] =>
      db
        .select({ alert, project })
        .from(alert)
        .innerJoin(project, eq(project.id, alert.projectId))
        .innerJoin(account, eq(account.id, project.accountId))
        .where(and(isNull(project.deletedAtMs), isNull(account.deletedAtMs)))
        .orderBy(asc(alert.createdAtMs), asc(sql`alert.rowid`))
        .all(),
    /** Runs within a transaction, as do the two after it. */
    add(projectId: string, name: string, spec: AlertSpec): AlertRow {
      const rows = db.select({ rows: count() }).from(alert).where(eq(alert.projectId, projectId));
      requireRoom(rows.get()?.rows ?? 0, alertsPerProjectMax, "alerts");
      const nowMs = clock.nowMs();
      const state = spec.kind === "change" || spec.kind === "silence" ? "learning" : "ok";
      const values = { id: newId("alr"), projectId, name, spec, state } as const;
      return db
        .insert(alert)
        .values({ ...values, sinceMs: nowMs, createdAtMs: nowMs })
        .returning()
        .get();
    },
    /** A rule that changed begins again. */
    change: (id: string, set: Partial<AlertRow>): void => {
      if (Object.keys(set).length > 0) db.update(alert).set(set).where(eq(alert.id, id)).run();
    },
    drop(id: string): void {
      subscriptions.drop(id);
      db.delete(alert).where(eq(alert.id, id)).run();
    },
    firing: (): number =>
      db.select({ rows: count() }).from(alert).where(eq(alert.state, "firing")).get()?.rows ?? 0,
  };
}

function outcomeQueries({ db }: AlertControl) {
  return {
    note: (id: string, set: Partial<AlertRow>): void => {
      db.update(alert).set(set).where(eq(alert.id, id)).run();
    },
    /** Notes rules that were judged and changed nothing; not one that somebody changed meanwhile. */
    noteQuiet(slots: readonly QuietSlot[], nowMs: number): void {
      for (const { alert: before, slot } of slots) {
        const isSame = before.slot === null ? isNull(alert.slot) : eq(alert.slot, before.slot);
        db.update(alert)
          .set({ slot, lastEvaluatedAtMs: nowMs })
          .where(and(eq(alert.id, before.id), isSame))
          .run();
      }
    },
    beginEpisode(alertId: string, fromMs: number, observed: number, expected: number): void {
      db.insert(alertEpisode).values({ alertId, fromMs, observed, expected }).run();
      const newest = db
        .select({ id: alertEpisode.id })
        .from(alertEpisode)
        .where(eq(alertEpisode.alertId, alertId))
        .orderBy(desc(alertEpisode.id))
        .limit(1)
        .offset(episodesShownMax)
        .get();
      if (newest === undefined) return;
      const isOld = sql`${alertEpisode.id} <= ${newest.id}`;
      db.delete(alertEpisode)
        .where(and(eq(alertEpisode.alertId, alertId), isOld))
        .run();
    },
    endEpisode: (alertId: string, toMs: number): void => {
      db.update(alertEpisode)
        .set({ toMs })
        .where(and(eq(alertEpisode.alertId, alertId), isNull(alertEpisode.toMs)))
        .run();
    },
    /** Newest first. */
    episodesOf: (alertId: string) =>
      db
        .select()
        .from(alertEpisode)
        .where(eq(alertEpisode.alertId, alertId))
        .orderBy(desc(alertEpisode.id))
        .limit(episodesShownMax)
        .all(),
    /** The times within a window at which alerts of a project began to fire, in order. */
    episodesWithin: (projectId: string, fromMs: number, toMs: number) =>
      db
        .select({ id: alert.id, name: alert.name, fromMs: alertEpisode.fromMs })
        .from(alertEpisode)
        .innerJoin(alert, eq(alert.id, alertEpisode.alertId))
        .where(
          and(
            eq(alert.projectId, projectId),
            gte(alertEpisode.fromMs, fromMs),
            lt(alertEpisode.fromMs, toMs),
          ),
        )
        .orderBy(asc(alertEpisode.fromMs), asc(alertEpisode.id))
        .limit(firedShownMax)
        .all(),
  };
}

function heldQueries({ db }: AlertControl) {
  return {
    /** Alert mails to an address within the last day. */
    mailsInDay: (recipient: string, nowMs: number): number =>
      db
        .select({ rows: count() })
        .from(mailMessage)
        .where(
          and(
            eq(mailMessage.kind, "alert"),
            eq(mailMessage.recipient, recipient),
            gt(mailMessage.createdAtMs, nowMs - dayMs),
          ),
        )
        .get()?.rows ?? 0,
    holdBack: (recipient: string): void => {
      db.insert(heldAlertMail)
        .values({ recipient, messages: 1 })
        .onConflictDoUpdate({
          target: heldAlertMail.recipient,
          set: { messages: sql`messages + 1` },
        })
        .run();
    },
    heldBack: () => db.select().from(heldAlertMail).all(),
    forgetHeld: (recipient: string): void => {
      db.delete(heldAlertMail).where(eq(heldAlertMail.recipient, recipient)).run();
    },
  };
}
