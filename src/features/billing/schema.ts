import Type, { type Static } from "typebox";
import { IsoTime } from "../../domain/fields";
import { ofServer, schema } from "../../lib/schema";

export const checkoutTextCharsMax = 4_000;

const limit = Type.Integer({ minimum: -1, description: "-1 is unlimited." });
const TierLimits = Type.Object({
  max_events_per_month: limit,
  max_projects: limit,
  max_reads_per_month: limit,
  retention_days: Type.Integer({ minimum: -1, description: "-1 is for ever." }),
  rate_limit_rpm: Type.Integer({ minimum: 1 }),
});

export const Billing = schema(
  Type.Object(
    {
      tier: Type.Enum(["free", "pro"], { description: "The effective tier of the account." }),
      complimentary: Type.Boolean(),
      billing: Type.Boolean({ description: "True if this server takes payments." }),
      status: Type.Enum(["none", "active", "past_due", "canceled"]),
      current_period_end: Type.Union([IsoTime, Type.Null()]),
      plans: Type.Object(
        { free: TierLimits, pro: TierLimits },
        { description: "Limits of each plan." },
      ),
    },
    { $id: "Billing" },
  ),
);
export type Billing = Static<typeof Billing>;

const text = (description: string) =>
  Type.Optional(Type.String({ maxLength: checkoutTextCharsMax, description }));

export const CheckoutRequest = schema(
  Type.Object(
    {
      reason: text("Reason for the upgrade. Not sent to the payment provider."),
      command: text("The command that requested it. Not sent to the payment provider."),
    },
    { $id: "CheckoutRequest" },
  ),
);

export const Checkout = schema(
  Type.Object(
    {
      checkout_url: Type.Union([Type.String({ ...ofServer, maxLength: 8_192 }), Type.Null()], {
        description: "Payment page. Null if the account already has Pro.",
      }),
    },
    { $id: "Checkout" },
  ),
);

/** The schema for the document: what arrives is read with care (events.ts), whatever it looks like. */
export const WebhookEvent = schema(
  Type.Object(
    {
      id: Type.Optional(Type.String({ maxLength: 255 })),
      type: Type.Optional(Type.String({ maxLength: 255 })),
      created: Type.Optional(Type.Integer({ description: "Unix seconds." })),
      data: Type.Optional(Type.Object({ object: Type.Optional(Type.Object({})) })),
    },
    { $id: "WebhookEvent" },
  ),
);

export const Received = schema(Type.Object({ received: Type.Literal(true) }, { $id: "Received" }));
