/*
 * The end of a former subscription says nothing.
 * Decision: events of the subscription that a newer checkout replaced change neither tier nor status.
 * Because: an unpaid subscription that is closed at last, after its owner has bought a new one, would take Pro away.
 * Cost: one column.
 */

import type Stripe from "stripe";
import { clock, secondMs } from "../../lib/clock";
import type { Effect, ProviderEvent } from "../../store/control/billing";

const webhookEventIdCharsMax = 255;

type Fields = Readonly<Record<string, unknown>>;
type Said = Pick<Effect, "tier" | "status" | "periodEndsAtMs"> | null;

/**
 * What events mean, by their type. Their objects are read with care: versions of the provider's API differ in where
 * they put things.
 */
const meanings = {
  "checkout.session.completed": (session) => {
    const isPaid = ["paid", "no_payment_required"].includes(
      textIn(session, "payment_status") ?? "",
    );
    // Otherwise the money is still on its way, and one of the next two will tell.
    return isPaid ? { tier: "pro", status: "active" } : null;
  },
  "checkout.session.async_payment_succeeded": () => ({ tier: "pro", status: "active" }),
  "invoice.paid": (invoice) => ({
    tier: "pro",
    status: "active",
    ...periodEnd(lastPeriodOf(invoice)),
  }),
  "invoice.payment_failed": () => ({ status: "past_due" }),
  "customer.subscription.updated": (subscription) => {
    const period = periodEnd(periodOf(subscription));
    const status = textIn(subscription, "status") ?? "";
    if (status === "past_due") return { tier: "pro", status, ...period };
    if (status === "active" || status === "trialing") {
      return { tier: "pro", status: "active", ...period };
    }
    return { tier: "free", status: "canceled", ...period };
  },
  "customer.subscription.deleted": () => ({
    tier: "free",
    status: "canceled",
    periodEndsAtMs: null,
  }),
} as const satisfies Partial<Record<Stripe.Event["type"], (object: Fields) => Said>>;

const meaningOf: ReadonlyMap<string, (object: Fields) => Said> = new Map(Object.entries(meanings));

/** Reads an event; null for a text without an id, which could not be remembered. */
export function readEvent(text: string): ProviderEvent | null {
  const event = parsed(text);
  const id = textIn(event, "id") ?? "";
  if (id === "" || id.length > webhookEventIdCharsMax) return null;
  const seconds = numberIn(event, "created");
  return {
    id,
    createdAtMs: seconds === null ? clock.nowMs() : seconds * secondMs,
    effect: effectOf(textIn(event, "type") ?? "", fieldsIn(fieldsIn(event, "data"), "object")),
  };
}

function effectOf(type: string, object: Fields): Effect | null {
  const said = meaningOf.get(type)?.(object) ?? null;
  if (said === null) return null;
  const isSession = type.startsWith("checkout.");
  const isSubscription = type.startsWith("customer.subscription.");
  const details = subscriptionDetails(object);
  const named = [
    textIn(object, "client_reference_id"),
    textIn(fieldsIn(object, "metadata"), "account_id"),
    textIn(fieldsIn(details, "metadata"), "account_id"),
  ];
  return {
    accountIds: named.filter((id) => id !== null),
    customerId: idIn(object, "customer"),
    subscriptionId: isSubscription
      ? textIn(object, "id")
      : (idIn(object, "subscription") ?? idIn(details, "subscription")),
    isNew: isSession,
    ...said,
  };
}

/** Returns the subscription's details in an invoice, which repeats the subscription's own metadata. */
function subscriptionDetails(invoice: Fields): Fields {
  const inParent = fieldsIn(fieldsIn(invoice, "parent"), "subscription_details");
  return Object.keys(inParent).length > 0 ? inParent : fieldsIn(invoice, "subscription_details");
}

/** The end of what was paid for: that of an invoice itself is the end of the period before. */
function lastPeriodOf(invoice: Fields): number | null {
  const ends = itemsIn(invoice, "lines").map((line) => numberIn(fieldsIn(line, "period"), "end"));
  return latest(ends) ?? numberIn(invoice, "period_end");
}

const periodOf = (subscription: Fields): number | null =>
  numberIn(subscription, "current_period_end") ??
  latest(itemsIn(subscription, "items").map((item) => numberIn(item, "current_period_end")));

function latest(seconds: readonly (number | null)[]): number | null {
  const known = seconds.filter((one) => one !== null);
  return known.length === 0 ? null : Math.max(...known);
}

const periodEnd = (seconds: number | null): { readonly periodEndsAtMs?: number } =>
  seconds === null ? {} : { periodEndsAtMs: seconds * secondMs };

const none: Fields = {};

function parsed(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return none;
    throw error;
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? { ...value } : none;
const fieldsIn = (fields: Fields, name: string): Fields => fieldsOf(fields[name]);

function itemsIn(fields: Fields, name: string): readonly Fields[] {
  const { data } = fieldsIn(fields, name);
  return Array.isArray(data) ? data.map(fieldsOf) : [];
}

function textIn(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === "string" ? value : null;
}

/** An id, or the object that has it: the provider sends either. */
const idIn = (fields: Fields, name: string): string | null =>
  textIn(fields, name) ?? textIn(fieldsIn(fields, name), "id");

/** Unix seconds that a Date can hold. */
function numberIn(fields: Fields, name: string): number | null {
  const value = fields[name];
  const isTime = typeof value === "number" && value >= 0 && value <= 8_640_000_000_000;
  return isTime ? Math.floor(value) : null;
}
