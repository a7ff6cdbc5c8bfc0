/** The things of which a webhook can tell, with what `project` narrows it to. */
export const webhookEventsOfProject = ["project.created", "project.deleted"] as const;
export const webhookEventsOfMembers = [
  ...(["member.joined", "member.removed", "ownership.transferred"] as const),
] as const;
const webhookEventsOfBudgets = ["project.over_budget"] as const;
const webhookEventsOfPeople = ["person.erased"] as const;
/** These go to webhooks of administrators of the server alone. */
const webhookEventsOfServer = [
  ...(["backup.failed", "backup.drill_failed", "backup.drill_ok"] as const),
  ...(["disk.low", "disk.ok", "storage.failed", "mail.failing"] as const),
] as const;
const webhookEventsOfAlerts = ["alert.firing", "alert.resolved", "goal.reached"] as const;
export const webhookEvents = [
  ...webhookEventsOfAlerts,
  "report.ready",
  ...webhookEventsOfMembers,
  ...webhookEventsOfProject,
  ...webhookEventsOfBudgets,
  ...webhookEventsOfPeople,
  ...webhookEventsOfServer,
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
export type WebhookEventType = WebhookEvent | "webhook.test";

export const webhookKinds = ["signed", "slack", "discord"] as const;
export type WebhookKind = (typeof webhookKinds)[number];

export const webhookNameCharsMax = 64;
export const webhooksPerAccountMax = 20;
export const webhookBodyBytesMax = 64 * 1024;

export const deliveryStates = ["queued", "delivered", "failed"] as const;
/** The reason for which a try failed, and no more than that: an answer may be of a machine that nobody should see. */
export const deliveryErrors = ["dns", "unsafe", "connect", "tls", "timeout", "status"] as const;
export type DeliveryError = (typeof deliveryErrors)[number];

/** One thing that happened, with the sentences that chats show and the page that shows more. */
export interface WebhookMessage {
  readonly type: WebhookEventType;
  readonly data: Readonly<Record<string, unknown>>;
  /** At most two lines. Texts of owners and visitors are in them as they are. */
  readonly lines: readonly string[];
  readonly url: string;
}
