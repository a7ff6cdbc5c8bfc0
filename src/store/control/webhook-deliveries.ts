import { and, asc, count, desc, eq, gt, isNull, lte, notInArray, or, sql } from "drizzle-orm";
import type { WebhookMessage } from "../../domain/webhook/events";
import type { QueuedMessage } from "../../domain/webhook/forms";
import { deliveryWaitMsMax, type Tried } from "../../domain/webhook/retries";
import { clock, dayMs } from "../../lib/clock";
import { newId } from "../../lib/ids";
import type { ControlDatabase } from "./database";
import { member, person } from "./member-tables";
import { type DeliveryRow, type WebhookRow, webhook, webhookDelivery } from "./webhook-tables";
import type { WebhookControl } from "./webhooks";

export const deliveriesShownMax = 100;
/** Beyond it the oldest of the account that waits is dropped. */
const deliveriesWaitingMax = 10_000;
const endedKeptMs = 30 * dayMs;
const endedKeptMax = 1_000;

const isQueued = eq(webhookDelivery.state, "queued");

/** Messages on their way to webhooks. */
export const deliveryQueries = (control: WebhookControl) => ({
  ...causeQueries(control),
  ...queueQueries(control),
  ...outcomeQueries(control),
});

function causeQueries({ db }: WebhookControl) {
  const insert = (to: WebhookRow, message: WebhookMessage): DeliveryRow => {
    const nowMs = clock.nowMs();
    const queued: QueuedMessage = { ...message, timestamp: new Date(nowMs).toISOString() };
    const values = {
      ...{ id: newId("dlv"), webhookId: to.id, type: message.type, state: "queued" as const },
      ...{ message: JSON.stringify(queued), createdAtMs: nowMs, dueAtMs: nowMs },
    };
    return db.insert(webhookDelivery).values(values).returning().get();
  };
  return {
    /** Queues a message to one webhook, whatever it wants to be told of. */
    addTo: insert,
    /** Queues a message to each webhook of an account that wants it. Returns how many others were dropped. */
    add(accountId: string, projectId: string | null, message: WebhookMessage): number {
      let dropped = 0;
      for (const row of wanting(db, accountId, projectId, message.type)) {
        if (dropOldest(db, accountId)) dropped += 1;
        insert(row, message);
      }
      return dropped;
    },
    /** The accounts whose owner administers the server. */
    accountsOfAdmins: (): readonly string[] =>
      db
        .select({ id: member.accountId })
        .from(member)
        .innerJoin(person, eq(person.id, member.personId))
        .where(and(eq(member.role, "owner"), eq(person.isAdmin, true)))
        .all()
        .map(({ id }) => id),
  };
}

/** The webhooks of an account that want an event. */
function wanting(
  db: ControlDatabase,
  accountId: string,
  projectId: string | null,
  event: string,
): readonly WebhookRow[] {
  const isOfProject =
    projectId === null
      ? isNull(webhook.projectId)
      : or(isNull(webhook.projectId), eq(webhook.projectId, projectId));
  return db
    .select()
    .from(webhook)
    .where(and(eq(webhook.accountId, accountId), eq(webhook.enabled, true), isOfProject))
    .all()
    .filter(({ events }) => events === null || events.some((one) => one === event));
}

/** Drops the delivery of an account that has waited for longest, when too many wait. */
function dropOldest(db: ControlDatabase, accountId: string): boolean {
  const ofAccount = and(isQueued, eq(webhook.accountId, accountId));
  const joined = eq(webhook.id, webhookDelivery.webhookId);
  const rows = db.select({ rows: count() }).from(webhookDelivery).innerJoin(webhook, joined);
  if ((rows.where(ofAccount).get()?.rows ?? 0) < deliveriesWaitingMax) return false;
  const oldest = db
    .select({ id: webhookDelivery.id })
    .from(webhookDelivery)
    .innerJoin(webhook, joined)
    .where(ofAccount)
    .orderBy(asc(webhookDelivery.createdAtMs), asc(sql`webhook_delivery.rowid`))
    .limit(1)
    .get();
  db.delete(webhookDelivery)
    .where(eq(webhookDelivery.id, oldest?.id ?? ""))
    .run();
  return true;
}

function queueQueries({ db }: WebhookControl) {
  return {
    /** The delivery whose turn it is, to a webhook that is not busy. */
    next(nowMs: number, busy: readonly string[]) {
      const isDue = or(
        lte(webhookDelivery.dueAtMs, nowMs),
        // It was queued under a clock that was ahead.
        gt(webhookDelivery.dueAtMs, nowMs + deliveryWaitMsMax),
      );
      return db
        .select({ delivery: webhookDelivery, webhook })
        .from(webhookDelivery)
        .innerJoin(webhook, eq(webhook.id, webhookDelivery.webhookId))
        .where(and(isQueued, isDue, eq(webhook.enabled, true), notInArray(webhook.id, [...busy])))
        .orderBy(asc(webhookDelivery.dueAtMs), asc(sql`webhook_delivery.rowid`))
        .limit(1)
        .get();
    },
    waiting: (): number =>
      db.select({ rows: count() }).from(webhookDelivery).where(isQueued).get()?.rows ?? 0,
  };
}

function outcomeQueries(control: WebhookControl) {
  const { db } = control;
  return {
    byId: (id: string): DeliveryRow | undefined =>
      db.select().from(webhookDelivery).where(eq(webhookDelivery.id, id)).get(),
    /** Newest first. */
    ofWebhook: (webhookId: string): readonly DeliveryRow[] =>
      db
        .select()
        .from(webhookDelivery)
        .where(eq(webhookDelivery.webhookId, webhookId))
        .orderBy(desc(webhookDelivery.createdAtMs), desc(sql`rowid`))
        .limit(deliveriesShownMax)
        .all(),
    /** Notes a try. `dueAtMs` is null when there is none after it. */
    note(delivery: DeliveryRow, tried: Tried, isDelivered: boolean, dueAtMs: number | null): void {
      const nowMs = clock.nowMs();
      const { status = null, error = null, ms } = tried;
      control.write(() => {
        db.update(webhookDelivery)
          .set({
            ...{ status, error, ms: Math.round(ms), tries: delivery.tries + 1 },
            state: isDelivered ? "delivered" : dueAtMs === null ? "failed" : "queued",
            ...(dueAtMs !== null && { dueAtMs }),
          })
          .where(eq(webhookDelivery.id, delivery.id))
          .run();
        const isFailing = isDelivered ? null : sql`coalesce(failing_since, ${nowMs})`;
        db.update(webhook)
          .set({ failingSinceMs: isFailing })
          .where(eq(webhook.id, delivery.webhookId))
          .run();
      });
    },
    /** Queues a delivery once more, with the same id. */
    again: (id: string): void =>
      control.write(() => {
        const fresh = { state: "queued" as const, tries: 0, dueAtMs: clock.nowMs() };
        db.update(webhookDelivery).set(fresh).where(eq(webhookDelivery.id, id)).run();
      }),
    /** Deletes what ended a while ago, and of each webhook the oldest beyond a number. */
    forgetEnded: (nowMs: number): void =>
      control.write(() => {
        db.run(sql`
          delete from webhook_delivery
          where state <> 'queued' and (created_at <= ${nowMs - endedKeptMs} or id in (
            select id from (
              select id, row_number() over (partition by webhook_id order by created_at desc, rowid desc) as place
              from webhook_delivery
              where state <> 'queued'
            )
            where place > ${endedKeptMax}
          ))`);
      }),
  };
}
