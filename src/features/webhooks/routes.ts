import type { Caller } from "../../domain/caller";
import { ApiError, invalidField } from "../../domain/errors";
import { givenName } from "../../domain/given-name";
import { webhookUrlOf } from "../../domain/webhook/url";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { audited, entryOf, note } from "../../store/control/audit";
import { findProject } from "../../store/control/project-selector";
import type { WebhookRow } from "../../store/control/webhook-tables";
import { deliveryRoutes } from "./delivery-routes";
import {
  NewWebhookAnswer,
  Webhook,
  WebhookChange,
  WebhookGone,
  WebhookList,
  WebhookRequest,
  WebhookSecret,
} from "./schema";
import { isInReach, ownWebhook, viewWebhook } from "./view";

const tag = "Webhooks";

/** The addresses that an account has told what happens. */
export const webhooksFeature = (deps: Deps): Feature => ({
  operations: [
    listRoute(deps),
    createRoute(deps),
    changeRoute(deps),
    deleteRoute(deps),
    rotateRoute(deps),
    ...deliveryRoutes(deps),
  ],
});

const listRoute = (deps: Deps) =>
  accountOperation("GET /webhooks", {
    access: free("key"),
    doc: {
      id: "listWebhooks",
      summary: "List webhooks",
      description:
        "Oldest first. Secrets are not shown again. Members who see some projects get the webhooks of these alone.",
      tag,
    },
    takes: nothing,
    returns: { 200: WebhookList },
    handle: ({ caller }) => ({
      webhooks: deps.control.webhooks
        .ofAccount(caller.account.id)
        .filter((row) => isInReach(caller, row))
        .map((row) => viewWebhook(deps, row)),
    }),
  });

const createRoute = (deps: Deps) =>
  accountOperation("POST /webhooks", {
    access: free("key"),
    doc: {
      id: "createWebhook",
      summary: "Create a webhook",
      description:
        "The server sends a POST to `url` when something happens. With `signed` the response has the secret that " +
        "checks its signatures, this once. At most 20 an account.",
      tag,
      errors: ["NOT_FOUND", "UNSAFE_URL", "UNAVAILABLE"],
    },
    takes: WebhookRequest,
    returns: { 201: NewWebhookAnswer },
    handle: async ({ caller, input }) => {
      const { kind, events = null, project } = input;
      const name = givenName(input.name);
      const url = webhookUrlOf(input.url, deps.config.webhookAllowHosts);
      const projectId = project === undefined ? null : findProject(deps, caller, project).id;
      if (!isInReach(caller, { projectId })) {
        throw invalidField("project", '"project" must name a project that you see yourself.');
      }
      await deps.webhooks.refuseUnsafe(url);
      const made = { accountId: caller.account.id, projectId, name, kind, events, url: url.href };
      const { row, secret } = audited(
        deps.control,
        () => deps.control.webhooks.add(made),
        (added) => webhookEntry(caller, "webhook_made", added.row, { kind, events }),
      );
      return reply(201, { ...viewWebhook(deps, row), ...(secret !== null && { secret }) });
    },
  });

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /webhooks/{id}", {
    access: free("key"),
    doc: {
      id: "changeWebhook",
      summary: "Change a webhook",
      description:
        "Absent fields stay unchanged. `enabled: false` drops the messages that wait for it; `enabled: true` also " +
        "takes a webhook back that was switched off because nothing was delivered.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: WebhookChange,
    returns: { 200: Webhook },
    checkPath: ({ caller, params }) => void ownWebhook(deps, caller, params.id ?? ""),
    handle: ({ caller, input: { name, events, enabled }, params }) => {
      const row = ownWebhook(deps, caller, params.id ?? "");
      const { id } = row;
      const details = {
        ...(name !== undefined && { name: givenName(name) }),
        ...(events !== undefined && { events }),
        ...(enabled !== undefined && { enabled }),
      };
      deps.control.write(() => {
        if (Object.keys(details).length === 0) return;
        note(deps.control, webhookEntry(caller, "webhook_changed", row, details));
        const set = {
          ...(name !== undefined && { name }),
          ...(events !== undefined && { events }),
          ...(enabled === true && { enabled, disabledReason: null, failingSinceMs: null }),
        };
        if (Object.keys(set).length > 0) deps.control.webhooks.change(id, set);
        if (enabled === false) deps.control.webhooks.disable(id, "owner");
      });
      return viewWebhook(deps, ownWebhook(deps, caller, id));
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /webhooks/{id}", {
    access: free("key"),
    doc: {
      id: "deleteWebhook",
      summary: "Delete a webhook",
      description:
        "The server sends nothing more to it, not even the messages that wait, and forgets what it sent.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: WebhookGone },
    handle: ({ caller, params }) => {
      const row = ownWebhook(deps, caller, params.id ?? "");
      audited(
        deps.control,
        () => deps.control.webhooks.drop(row.id),
        () => webhookEntry(caller, "webhook_deleted", row),
      );
      return { ok: true as const };
    },
  });

const rotateRoute = (deps: Deps) =>
  accountOperation("POST /webhooks/{id}/rotate", {
    access: free("key", "", { fresh: "always" }),
    doc: {
      id: "rotateWebhookSecret",
      summary: "Replace the secret of a webhook",
      description:
        "Only this response shows the new one. For 24 hours messages carry signatures of both.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: WebhookSecret },
    handle: ({ caller, params }) => {
      const row = ownWebhook(deps, caller, params.id ?? "");
      if (row.sealedSecret === null) {
        throw new ApiError(
          "NOT_FOUND",
          "A webhook of a chat has no secret. Delete it and make another one.",
        );
      }
      const secret = audited(
        deps.control,
        () => deps.control.webhooks.rotate(row),
        () => webhookEntry(caller, "webhook_changed", row, { secret: "replaced" }),
      );
      return { secret };
    },
  });

/** The address is left out: those of chats are secrets. */
const webhookEntry = (
  caller: Caller,
  action: "webhook_made" | "webhook_changed" | "webhook_deleted",
  { id, name, projectId }: WebhookRow,
  details: Readonly<Record<string, unknown>> = {},
) => entryOf(caller, action, { type: "webhook", id, name }, { projectId, details });
