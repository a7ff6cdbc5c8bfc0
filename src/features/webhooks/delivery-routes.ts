import { ApiError } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { DeliveryList, OneDelivery } from "./schema";
import { ownWebhook, viewDelivery } from "./view";

const tag = "Webhooks";

export const deliveryRoutes = (deps: Deps) => [testRoute(deps), listRoute(deps), againRoute(deps)];

const testRoute = (deps: Deps) =>
  accountOperation("POST /webhooks/{id}/test", {
    access: free("key"),
    doc: {
      id: "testWebhook",
      summary: "Send a test to a webhook",
      description:
        "Sends `webhook.test` at once, and waits up to 12 seconds for what becomes of it.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: OneDelivery },
    handle: async ({ caller, params }) => {
      const row = ownWebhook(deps, caller, params.id ?? "");
      return { delivery: viewDelivery(await deps.webhooks.test(row)) };
    },
  });

const listRoute = (deps: Deps) =>
  accountOperation("GET /webhooks/{id}/deliveries", {
    access: free("key"),
    doc: {
      id: "listWebhookDeliveries",
      summary: "List what was sent to a webhook",
      description:
        "The newest 100. `error` is dns, unsafe, connect, tls, timeout or status; what the receiver answered is not " +
        "shown.",
      tag,
      errors: ["NOT_FOUND"],
    },
    takes: nothing,
    returns: { 200: DeliveryList },
    handle: ({ caller, params }) => {
      const { id } = ownWebhook(deps, caller, params.id ?? "");
      return { deliveries: deps.control.deliveries.ofWebhook(id).map(viewDelivery) };
    },
  });

const againRoute = (deps: Deps) =>
  accountOperation("POST /webhooks/{id}/deliveries/{delivery}/again", {
    access: free("key"),
    doc: {
      id: "repeatWebhookDelivery",
      summary: "Send a delivery again",
      description: "With the same `webhook-id`, so that a receiver that had it already knows.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 202: OneDelivery },
    handle: ({ caller, params }) => {
      const { id } = ownWebhook(deps, caller, params.id ?? "");
      const { deliveries } = deps.control;
      const found = deliveries.byId(params.delivery ?? "");
      if (found?.webhookId !== id) {
        throw new ApiError(
          "NOT_FOUND",
          "The webhook has no such delivery. GET /webhooks/{id}/deliveries lists them.",
        );
      }
      deliveries.again(found.id);
      return reply(202, { delivery: viewDelivery(deliveries.byId(found.id) ?? found) });
    },
  });
