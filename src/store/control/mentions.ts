import { and, eq, inArray, sql } from "drizzle-orm";
import { isObject } from "../../lib/is-object";
import { alert } from "./alert-tables";
import type { ControlConnection } from "./database";
import { goal } from "./goal-tables";
import type { mailQueries } from "./mail";
import { mailMessage } from "./mail-tables";
import { report } from "./report-tables";
import { savedView, share } from "./share-tables";
import type { subscriptionQueries } from "./subscriptions";
import { experiment } from "./tables";
import { webhookDelivery } from "./webhook-tables";

export type MentionControl = ControlConnection & {
  readonly subscriptions: Pick<ReturnType<typeof subscriptionQueries>, "drop" | "of" | "tokenOf">;
  readonly mail: Pick<ReturnType<typeof mailQueries>, "letterOf">;
};

/** The ids of an erased person in one project. */
interface ErasedIds {
  readonly projectId: string;
  readonly ids: readonly string[];
}

/**
 * Drops the views, shares, goals, experiments, alerts and reports that name one of the ids, and the messages of those
 * alerts and reports. Returns whether there was any. Runs within a change.
 */
export function dropMentions(control: MentionControl, work: ErasedIds): boolean {
  const gone = dropQuiet(control, work);
  const subjects = dropSending(control, work);
  if (subjects.length > 0) dropMessages(control, subjects);
  return gone > 0 || subjects.length > 0;
}

/** Drops what sends no messages. Returns how many there were. */
function dropQuiet({ db }: ControlConnection, { projectId, ids }: ErasedIds): number {
  const named = new Set(ids);
  const views = db.select().from(savedView).where(eq(savedView.projectId, projectId)).all();
  const shares = db.select().from(share).where(eq(share.projectId, projectId)).all();
  const goals = db.select().from(goal).where(eq(goal.projectId, projectId)).all();
  const tests = db.select().from(experiment).where(eq(experiment.projectId, projectId)).all();
  const aboutViews = views.filter(({ address }) => wordsOf(address).some((one) => named.has(one)));
  const aboutShares = shares.filter(({ filters }) => mentions(filters, named));
  const aboutGoals = goals.filter(({ filters }) => mentions(filters, named));
  const aboutTests = tests.filter((one) => mentions(one.goal?.filters, named));
  for (const { id } of aboutViews) db.delete(savedView).where(eq(savedView.id, id)).run();
  for (const { id } of aboutShares) db.delete(share).where(eq(share.id, id)).run();
  for (const { id } of aboutGoals) db.delete(goal).where(eq(goal.id, id)).run();
  for (const { id } of aboutTests) db.delete(experiment).where(eq(experiment.id, id)).run();
  return aboutViews.length + aboutShares.length + aboutGoals.length + aboutTests.length;
}

/** Drops alerts and reports, which send messages. Returns their ids. */
function dropSending({ db }: ControlConnection, { projectId, ids }: ErasedIds): string[] {
  const named = new Set(ids);
  const alerts = db.select().from(alert).where(eq(alert.projectId, projectId)).all();
  const reports = db.select().from(report).where(eq(report.projectId, projectId)).all();
  const aboutAlerts = alerts.filter(({ spec }) => mentions(spec, named));
  const aboutReports = reports.filter(({ filters }) => mentions(filters, named));
  for (const { id } of aboutAlerts) db.delete(alert).where(eq(alert.id, id)).run();
  for (const { id } of aboutReports) db.delete(report).where(eq(report.id, id)).run();
  return [...aboutAlerts, ...aboutReports].map(({ id }) => id);
}

/** Drops the recipients of alerts and reports, the mails that wait, and the deliveries, which are kept as they were. */
function dropMessages({ db, subscriptions, mail }: MentionControl, subjects: string[]): void {
  const tokens = new Set(
    subjects.flatMap((id) =>
      subscriptions.of(id).map(({ target }) => subscriptions.tokenOf(id, target)),
    ),
  );
  const waiting = db
    .select()
    .from(mailMessage)
    .where(and(eq(mailMessage.state, "queued"), inArray(mailMessage.kind, ["alert", "report"])))
    .all();
  for (const row of waiting) {
    const token = mail.letterOf(row)?.unsubscribeUrl?.split("/").at(-1);
    if (token === undefined || !tokens.has(token)) continue;
    db.delete(mailMessage).where(eq(mailMessage.id, row.id)).run();
  }
  const subject = sql`coalesce(message ->> '$.data.report.id', message ->> '$.data.alert.id')`;
  const types = ["report.ready", "alert.firing", "alert.resolved", "goal.reached"];
  db.delete(webhookDelivery)
    .where(and(inArray(webhookDelivery.type, types), inArray(subject, subjects)))
    .run();
  for (const id of subjects) subscriptions.drop(id);
}

/** Tells whether one of the ids is a text anywhere in an object, or a value of a filter, which may be a number. */
function mentions(value: unknown, named: ReadonlySet<string>): boolean {
  if (typeof value === "string") return named.has(value);
  if (typeof value !== "object" || value === null) return false;
  if (isObject(value) && [value.value].flat().some((one) => isNamed(one, named))) return true;
  return Object.values(value).some((one) => mentions(one, named));
}

/** Conditions compare texts: the number 7 stands for the id "7". */
const isNamed = (value: unknown, named: ReadonlySet<string>): boolean =>
  typeof value === "number" && named.has(String(value));

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
