import { and, eq, isNull } from "drizzle-orm";
import { serverItself } from "../../domain/audit";
import type { Tier } from "../../domain/plan";
import { clock } from "../../lib/clock";
import { accountById, changeRights } from "./accounts";
import { note } from "./audit";
import type { Control } from "./control";
import { account, type BillingRow, billing, billingEvent } from "./tables";

/** An event of the payment provider, as far as it matters here. */
export interface ProviderEvent {
  readonly id: string;
  readonly createdAtMs: number;
  readonly effect: Effect | null;
}

/** The facts about an account in a provider's event. */
export interface Effect {
  /** Ids under which the account may be named, the surest first. */
  readonly accountIds: readonly string[];
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  /** It is the first word on a new subscription, whose ids replace those of an older one. */
  readonly isNew: boolean;
  /** The new tier; undefined leaves it as it is. */
  readonly tier?: Tier;
  readonly status: BillingRow["status"];
  /** The new end of the period; undefined leaves it as it is. */
  readonly periodEndsAtMs?: number | null;
}

export const billingOf = ({ db }: Control, accountId: string): BillingRow | undefined =>
  db.select().from(billing).where(eq(billing.accountId, accountId)).get();

/** The outcome of an event, for the log. */
export type Outcome = "applied" | "outdated" | "repeated" | "without effect" | "unknown account";

/** All that an event brings, or nothing: a repeat after a crash finds either. */
export const applyEvent = (control: Control, event: ProviderEvent): Outcome =>
  control.write(() => {
    const { id, createdAtMs, effect } = event;
    const remembered = control.db
      .insert(billingEvent)
      .values({ id, receivedAtMs: clock.nowMs() })
      .onConflictDoNothing()
      .returning()
      .all();
    if (remembered.length === 0) return "repeated";
    if (effect === null) return "without effect";
    const accountId = accountOf(control, effect);
    return accountId === null
      ? "unknown account"
      : applyEffect(control, accountId, createdAtMs, effect);
  });

function accountOf({ db }: Control, { accountIds, customerId }: Effect): string | null {
  const alive = isNull(account.deletedAtMs);
  for (const id of accountIds) {
    const named = and(eq(account.id, id), eq(account.isDemo, false), alive);
    if (db.select({ id: account.id }).from(account).where(named).get() !== undefined) return id;
  }
  if (customerId === null) return null;
  const found = db
    .select({ id: account.id })
    .from(billing)
    .innerJoin(account, eq(account.id, billing.accountId))
    .where(and(eq(billing.customerId, customerId), alive))
    .get();
  return found?.id ?? null;
}

function applyEffect(
  control: Control,
  accountId: string,
  createdAtMs: number,
  effect: Effect,
): Outcome {
  const before = billingOf(control, accountId) ?? unbilled(accountId);
  const isOfFormer =
    effect.subscriptionId !== null && effect.subscriptionId === before.formerSubscriptionId;
  if (isOfFormer && !effect.isNew) return "outdated";
  if (createdAtMs < before.eventAtMs) {
    keep(control, { ...before, ...idsWhereMissing(before, effect) });
    return "outdated";
  }
  const ids = effect.isNew ? newIds(before, effect) : idsWhereMissing(before, effect);
  const { status, periodEndsAtMs = before.periodEndsAtMs } = effect;
  keep(control, { ...before, ...ids, status, periodEndsAtMs, eventAtMs: createdAtMs });
  if (effect.tier !== undefined) payFor(control, accountId, effect.tier);
  return "applied";
}

function payFor(control: Control, accountId: string, tier: Tier): void {
  const before = accountById(control, accountId);
  changeRights(control, accountId, { tier });
  if (before === undefined || before.account.tier === tier) return;
  note(control, {
    ...{ accountId: null, actor: serverItself, action: "account_changed" },
    target: { type: "account", id: accountId, name: before.person.email },
    details: { tier },
  });
}

const unbilled = (accountId: string): BillingRow => ({
  accountId,
  customerId: null,
  subscriptionId: null,
  formerSubscriptionId: null,
  status: "none",
  periodEndsAtMs: null,
  eventAtMs: 0,
});

const idsWhereMissing = (before: BillingRow, { customerId, subscriptionId }: Effect) => ({
  customerId: before.customerId ?? customerId,
  subscriptionId: before.subscriptionId ?? subscriptionId,
});

function newIds(before: BillingRow, effect: Effect) {
  const customerId = effect.customerId ?? before.customerId;
  const subscriptionId = effect.subscriptionId ?? before.subscriptionId;
  const isReplaced = subscriptionId !== before.subscriptionId;
  const formerSubscriptionId = isReplaced ? before.subscriptionId : before.formerSubscriptionId;
  return { customerId, subscriptionId, formerSubscriptionId };
}

function keep({ db }: Control, row: BillingRow): void {
  db.insert(billing).values(row).onConflictDoUpdate({ target: billing.accountId, set: row }).run();
}
