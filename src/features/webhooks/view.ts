import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { webhookEvents } from "../../domain/webhook/events";
import type { Deps } from "../../http/deps";
import type { DeliveryRow, WebhookRow } from "../../store/control/webhook-tables";
import type { Delivery, Webhook } from "./schema";

/** Tells whether a member sees all that a webhook is sent: one without a project gets messages of all projects. */
export const isInReach = (
  { standing }: Caller,
  { projectId }: Pick<WebhookRow, "projectId">,
): boolean =>
  standing === null ||
  standing.projects === null ||
  (projectId !== null && standing.projects.includes(projectId));

/** A webhook of the caller's account, within the caller's reach. Throws NOT_FOUND. */
export function ownWebhook({ control }: Deps, caller: Caller, id: string): WebhookRow {
  const row = control.webhooks.byId(id);
  if (row?.accountId === caller.account.id && isInReach(caller, row)) return row;
  throw new ApiError("NOT_FOUND", "This webhook does not exist. GET /webhooks lists them.");
}

export function viewWebhook({ control }: Deps, row: WebhookRow): Webhook {
  const { id, name, kind, events, projectId, enabled, failingSinceMs, disabledReason } = row;
  return {
    ...{ id, name, kind, url: shownUrl(control.webhooks.urlOf(row), kind) },
    events: [...(events ?? webhookEvents)],
    ...(projectId !== null && { project: projectId }),
    enabled,
    ...(failingSinceMs !== null && { failing_since: new Date(failingSinceMs).toISOString() }),
    ...(disabledReason !== null && { disabled_reason: disabledReason }),
    created_at: new Date(row.createdAtMs).toISOString(),
  };
}

const shownUrl = (url: string, kind: WebhookRow["kind"]): string =>
  kind === "signed" || !URL.canParse(url) ? url : `${new URL(url).origin}/…`;

export const viewDelivery = (row: DeliveryRow): Delivery => ({
  ...{ id: row.id, type: row.type, created_at: new Date(row.createdAtMs).toISOString() },
  ...{ tries: row.tries, state: row.state },
  ...(row.status !== null && { status: row.status }),
  ...(row.error !== null && { error: row.error }),
  ...(row.ms !== null && { ms: row.ms }),
});
