import { createHmac, hkdfSync } from "node:crypto";
import { and, asc, count, desc, eq, gt, isNull, sql } from "drizzle-orm";
import { type AlertSpec, alertsPerProjectMax } from "../../domain/alerts/specs";
import { clock, dayMs } from "../../lib/clock";
import { newId, sha256Hex } from "../../lib/ids";
import { type AlertRow, alert, alertEpisode, alertTarget, heldAlertMail } from "./alert-tables";
import type { ControlConnection } from "./database";
import { mailMessage } from "./mail-tables";
import { member, type PersonRow, person } from "./member-tables";
import { requireRoom } from "./shares";
import { account, type ProjectRow, project } from "./tables";

type AlertControl = ControlConnection & { readonly identitySecret: string };

export const episodesShownMax = 20;
const tokenChars = 48;

/** Rules that a project's numbers are held against. */
export const alertQueries = (control: AlertControl) => ({
  ...ruleQueries(control),
  ...targetQueries(control),
  ...outcomeQueries(control),
});

function ruleQueries(control: AlertControl) {
  const { db } = control;
  const { replaceTargets } = targetQueries(control);
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
    add: (projectId: string, name: string, spec: AlertSpec, to: readonly string[]): AlertRow =>
      control.write(() => {
        const rows = db.select({ rows: count() }).from(alert).where(eq(alert.projectId, projectId));
        requireRoom(rows.get()?.rows ?? 0, alertsPerProjectMax, "alerts");
        const nowMs = clock.nowMs();
        const state = spec.kind === "change" || spec.kind === "silence" ? "learning" : "ok";
        const values = { id: newId("alr"), projectId, name, spec, state } as const;
        const row = db
          .insert(alert)
          .values({ ...values, sinceMs: nowMs, createdAtMs: nowMs })
          .returning()
          .get();
        replaceTargets(row.id, to);
        return row;
      }),
    /** A rule that changed begins again. */
    change: (id: string, set: Partial<AlertRow>, to: readonly string[] | null): void =>
      control.write(() => {
        if (Object.keys(set).length > 0) db.update(alert).set(set).where(eq(alert.id, id)).run();
        if (to !== null) replaceTargets(id, to);
      }),
    drop: (id: string): void =>
      control.write(() => {
        db.delete(alert).where(eq(alert.id, id)).run();
      }),
    firing: (): number =>
      db.select({ rows: count() }).from(alert).where(eq(alert.state, "firing")).get()?.rows ?? 0,
  };
}

/** People and webhooks that are told. */
function targetQueries(control: AlertControl) {
  const { db } = control;
  const key = Buffer.from(hkdfSync("sha256", control.identitySecret, "", "unsubscribe", 32));
  /** The token is the same in each message, and nobody can make it from the ids. */
  const tokenOf = (alertId: string, target: string): string =>
    `unt_${createHmac("sha256", key).update(`${alertId} ${target}`).digest("hex").slice(0, tokenChars)}`;
  return {
    tokenOf,
    replaceTargets(alertId: string, to: readonly string[]): void {
      const before = new Map(
        db
          .select()
          .from(alertTarget)
          .where(eq(alertTarget.alertId, alertId))
          .all()
          .map((row) => [row.target, row.stoppedAtMs]),
      );
      db.delete(alertTarget).where(eq(alertTarget.alertId, alertId)).run();
      for (const [position, target] of to.entries()) {
        const tokenHash = sha256Hex(tokenOf(alertId, target));
        const stoppedAtMs = before.get(target) ?? null;
        db.insert(alertTarget).values({ alertId, target, position, tokenHash, stoppedAtMs }).run();
      }
    },
    targetsOf: (alertId: string) =>
      db
        .select()
        .from(alertTarget)
        .where(eq(alertTarget.alertId, alertId))
        .orderBy(asc(alertTarget.position))
        .all(),
    /** Ends the messages of one subscription. An unknown token ends none. */
    unsubscribe: (token: string): void =>
      control.write(() => {
        db.update(alertTarget)
          .set({ stoppedAtMs: clock.nowMs() })
          .where(eq(alertTarget.tokenHash, sha256Hex(token)))
          .run();
      }),
    /** A member of the account who may see the project. */
    memberWhoSees({ id, accountId }: ProjectRow, personId: string): PersonRow | undefined {
      const row = db
        .select({ person, projects: member.projects })
        .from(member)
        .innerJoin(person, eq(person.id, member.personId))
        .where(and(eq(member.accountId, accountId), eq(member.personId, personId)))
        .get();
      const sees = row !== undefined && (row.projects === null || row.projects.includes(id));
      return sees ? row.person : undefined;
    },
  };
}

function outcomeQueries({ db }: AlertControl) {
  return {
    note: (id: string, set: Partial<AlertRow>): void => {
      db.update(alert).set(set).where(eq(alert.id, id)).run();
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
