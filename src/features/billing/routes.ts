/*
 * Webhooks answer 503 when the disk fails.
 * Decision: an event that could not be kept is not acknowledged, although its signature holds.
 * Because: the provider repeats it for days, and a payment must not be lost.
 * Cost: one exception from "always 200".
 */

import type { Config } from "../../config";
import { ApiError } from "../../domain/errors";
import { limitsOf } from "../../domain/plan";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { textOperation } from "../../http/operation/public-operation";
import { log } from "../../lib/log";
import { applyEvent, billingOf } from "../../store/control/billing";
import { readEvent } from "./events";
import { PaymentProvider } from "./provider";
import { Billing, Checkout, CheckoutRequest, Received, WebhookEvent } from "./schema";

/** The operations by which an account pays, and the provider reports payments. */
export const billingFeature = (deps: Deps): Feature => {
  const provider = providerOf(deps.config);
  return {
    operations: [stateRoute(deps), checkoutRoute(deps, provider), webhookRoute(deps, provider)],
  };
};

/** Throws BILLING_NOT_CONFIGURED when it is asked for and there is none. */
type Provider = () => PaymentProvider;

function providerOf({ billing }: Config): Provider {
  const provider = billing === null ? null : new PaymentProvider(billing);
  return () => {
    if (provider !== null) return provider;
    throw new ApiError(
      "BILLING_NOT_CONFIGURED",
      "This server does not take payments. Ask its administrator to give your account Pro.",
    );
  };
}

const stateRoute = (deps: Deps) =>
  accountOperation("GET /billing", {
    access: free("cookie"),
    doc: {
      id: "getBilling",
      summary: "Get plan and billing",
      description: "For the billing page. Agents read `tier` from GET /account.",
      tag: "Billing",
    },
    takes: nothing,
    returns: { 200: Billing },
    handle: ({ caller: { account } }) => {
      const row = billingOf(deps.control, account.id);
      const endsAtMs = row?.periodEndsAtMs ?? null;
      return {
        tier: account.tier,
        complimentary: account.complimentary,
        billing: deps.config.billing !== null,
        status: row?.status ?? "none",
        current_period_end: endsAtMs === null ? null : new Date(endsAtMs).toISOString(),
        plans: {
          free: limitsOf("free", deps.config.retentionDays),
          pro: limitsOf("pro", deps.config.retentionDays),
        },
      };
    },
  });

const checkoutRoute = (deps: Deps, provider: Provider) =>
  accountOperation("POST /billing/checkout", {
    access: free("cookie"),
    doc: {
      id: "openCheckout",
      summary: "Start an upgrade to Pro",
      description:
        "Returns the address of the payment provider's page. The account becomes Pro when the provider's " +
        "webhook confirms the payment.",
      tag: "Billing",
      errors: ["BILLING_NOT_CONFIGURED"],
    },
    takes: CheckoutRequest,
    returns: { 200: Checkout },
    handle: async ({ caller: { account } }) => {
      const payments = provider();
      if (account.tier === "pro") return { checkout_url: null };
      const order = {
        accountId: account.id,
        returnUrl: `${deps.config.publicUrl}/account/billing`,
      };
      return { checkout_url: await payments.openCheckout(order) };
    },
  });

const webhookRoute = (deps: Deps, provider: Provider) =>
  textOperation("POST /webhooks/stripe", {
    access: free("none"),
    doc: {
      id: "receiveStripeEvent",
      summary: "Webhook of the payment provider",
      description:
        "Only for the payment provider. Unknown event types and accounts are acknowledged too; repeats change " +
        "nothing.",
      tag: "Billing",
      headers: { "Stripe-Signature": "Signature of the body." },
      errors: ["INVALID_SIGNATURE", "BILLING_NOT_CONFIGURED"],
    },
    takes: WebhookEvent,
    returns: { 200: Received },
    handle: async ({ request, text }) => {
      await provider().requireSignature(text, request.headers.get("stripe-signature"));
      const event = readEvent(text);
      const outcome = event === null ? "without effect" : applyEvent(deps.control, event);
      log("info", "payment event", { outcome });
      return { received: true } as const;
    },
  });
