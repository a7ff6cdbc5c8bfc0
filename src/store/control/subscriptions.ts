import { createHmac, hkdfSync } from "node:crypto";
import { and, asc, eq, gt, inArray } from "drizzle-orm";
import { confirmMsMax, isAddress, type SubscriptionState } from "../../domain/subscription";
import { clock } from "../../lib/clock";
import { newToken, sha256Hex } from "../../lib/ids";
import type { ControlConnection } from "./database";
import { member, type PersonRow, person } from "./member-tables";
import { type SubscriptionRow, subscription } from "./subscription-tables";
import { type ProjectRow, project } from "./tables";

type SubscriptionControl = ControlConnection & { readonly identitySecret: string };

const tokenChars = 48;

/** An outsider who is to confirm, with the token of the link. */
export interface Asking {
  readonly address: string;
  readonly token: string;
}

/** The members, webhooks and addresses that get the messages of alerts and reports. */
export const subscriptionQueries = (control: SubscriptionControl) => ({
  ...targetQueries(control),
  ...readerQueries(control),
});

function targetQueries(control: SubscriptionControl) {
  const { db } = control;
  const key = Buffer.from(hkdfSync("sha256", control.identitySecret, "", "unsubscribe", 32));
  /** The token is the same in each message, and nobody can make it from the ids. */
  const tokenOf = (subject: string, target: string): string =>
    `unt_${createHmac("sha256", key).update(`${subject} ${target}`).digest("hex").slice(0, tokenChars)}`;
  const of = (subject: string): readonly SubscriptionRow[] =>
    db
      .select()
      .from(subscription)
      .where(eq(subscription.subject, subject))
      .orderBy(asc(subscription.position))
      .all();
  return {
    tokenOf,
    of,
    /**
     * Replaces the targets of an alert or a report; those that stay keep their state. Returns the outsiders who are to
     * be asked now: new ones, and those whose link is no longer good. Runs within the transaction of the change.
     */
    replace(projectId: string, subject: string, to: readonly string[]): readonly Asking[] {
      const before = new Map(of(subject).map((row) => [row.target, row]));
      db.delete(subscription).where(eq(subscription.subject, subject)).run();
      const nowMs = clock.nowMs();
      const asking: Asking[] = [];
      for (const [position, target] of [...new Set(to)].entries()) {
        const known = before.get(target);
        const tokenHash = sha256Hex(tokenOf(subject, target));
        const values = { ...known, subject, projectId, target, position, tokenHash };
        if (!isAddress(target) || isAskedOrAnswered(known, nowMs)) {
          db.insert(subscription).values(values).run();
          continue;
        }
        const token = newToken("sct");
        const asked = { askedAtMs: nowMs, confirmHash: sha256Hex(token) };
        db.insert(subscription)
          .values({ ...values, ...asked })
          .run();
        asking.push({ address: target, token });
      }
      return asking;
    },
    /** Runs within the transaction that deletes the alert or the report. */
    drop: (subject: string): void => {
      db.delete(subscription).where(eq(subscription.subject, subject)).run();
    },
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

function readerQueries(control: SubscriptionControl) {
  const { db } = control;
  return {
    /** Ends the messages of one subscription. An unknown token ends none. */
    unsubscribe: (token: string): void =>
      control.write(() => {
        db.update(subscription)
          .set({ stoppedAtMs: clock.nowMs() })
          .where(eq(subscription.tokenHash, sha256Hex(token)))
          .run();
      }),
    /** Confirms one subscription, also twice. False when the link is no longer good. */
    confirm: (token: string): boolean =>
      control.write(() => {
        const nowMs = clock.nowMs();
        const isGood = and(
          eq(subscription.confirmHash, sha256Hex(token)),
          gt(subscription.askedAtMs, nowMs - confirmMsMax),
        );
        const confirmed = db
          .update(subscription)
          .set({ confirmedAtMs: nowMs })
          .where(isGood)
          .returning({ subject: subscription.subject })
          .get();
        return confirmed !== undefined;
      }),
  };
}

/** Ends what a person gets of an account. Runs within the transaction that removes the member. */
export function dropSubscriptionsOf(
  { db }: ControlConnection,
  accountId: string,
  personId: string,
): void {
  const ofAccount = db
    .select({ id: project.id })
    .from(project)
    .where(eq(project.accountId, accountId));
  db.delete(subscription)
    .where(and(eq(subscription.target, personId), inArray(subscription.projectId, ofAccount)))
    .run();
}

export function subscriptionState({
  target,
  stoppedAtMs,
  confirmedAtMs,
}: SubscriptionRow): SubscriptionState {
  if (stoppedAtMs !== null) return "stopped";
  return isAddress(target) && confirmedAtMs === null ? "pending" : "active";
}

/** Tells whether an outsider confirmed, ended the messages, or has a link that is still good. */
function isAskedOrAnswered(known: SubscriptionRow | undefined, nowMs: number): boolean {
  if (known === undefined) return false;
  if (subscriptionState(known) !== "pending") return true;
  const agoMs = nowMs - (known.askedAtMs ?? 0);
  return agoMs >= 0 && agoMs < confirmMsMax;
}
