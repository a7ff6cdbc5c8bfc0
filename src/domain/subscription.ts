import { dayMs } from "../lib/clock";

export const targetsMax = 20;
/** A link that confirms a subscription is good for this long. */
export const confirmMsMax = 7 * dayMs;
export const confirmationsPerHourMax = 5;

export const subscriptionStates = ["active", "pending", "stopped"] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];

/** The ways of a message: to a member, to a webhook, or to the address of somebody who is in no account here. */
export const isWebhookId = (target: string): boolean => target.startsWith("whk_");
export const isAddress = (target: string): boolean => target.includes("@");
