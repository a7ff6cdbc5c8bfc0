import Type, { type Static } from "typebox";
import { Count, IsoTime, ObjectId, ProjectSelector } from "../../domain/fields";
import {
  deliveryErrors,
  deliveryStates,
  webhookEvents,
  webhookKinds,
  webhookNameCharsMax,
  webhooksPerAccountMax,
} from "../../domain/webhook/events";
import { webhookUrlCharsMax } from "../../domain/webhook/url";
import { ofOwner, ofServer, schema, trimmed } from "../../lib/schema";
import { deliveriesShownMax } from "../../store/control/webhook-deliveries";

const secretCharsMax = 64;
const typeCharsMax = 64;

const Name = trimmed({ minLength: 1, maxLength: webhookNameCharsMax });
const Events = Type.Array(Type.Enum([...webhookEvents]), {
  minItems: 1,
  maxItems: webhookEvents.length,
  description: "The events of which it tells. Default: all.",
});

const shown = {
  id: ObjectId,
  name: Type.String({ ...ofOwner, maxLength: webhookNameCharsMax }),
  kind: Type.Enum([...webhookKinds]),
  url: Type.String({
    ...ofOwner,
    maxLength: webhookUrlCharsMax,
    description: "The address of a chat is shown as scheme and host, as the rest is its password.",
  }),
  events: Type.Array(Type.Enum([...webhookEvents]), { maxItems: webhookEvents.length }),
  project: Type.Optional(
    Type.String({ ...ofServer, maxLength: 32, description: "Id of its only project." }),
  ),
  enabled: Type.Boolean(),
  failing_since: Type.Optional(IsoTime),
  disabled_reason: Type.Optional(
    Type.Enum(["owner", "gone", "failing"], {
      description:
        "gone: it answered 410. failing: nothing was delivered for five days. owner: switched off by hand.",
    }),
  ),
  created_at: IsoTime,
};

export const Webhook = schema(Type.Object(shown, { $id: "Webhook" }));
export type Webhook = Static<typeof Webhook>;

export const WebhookList = schema(
  Type.Object(
    { webhooks: Type.Array(Webhook, { maxItems: webhooksPerAccountMax }) },
    { $id: "WebhookList" },
  ),
);

const Secret = Type.String({
  ...ofServer,
  maxLength: secretCharsMax,
  description: "Checks signatures by Standard Webhooks. Only this response shows it.",
});
export const NewWebhookAnswer = schema(
  Type.Object({ ...shown, secret: Type.Optional(Secret) }, { $id: "NewWebhook" }),
);
export const WebhookSecret = schema(Type.Object({ secret: Secret }, { $id: "WebhookSecret" }));

export const WebhookRequest = schema(
  Type.Object(
    {
      name: Name,
      kind: Type.Enum([...webhookKinds], {
        description: "signed: JSON by Standard Webhooks. slack, discord: a short text.",
      }),
      url: Type.String({
        minLength: 1,
        maxLength: webhookUrlCharsMax,
        description: "A public https address.",
      }),
      events: Type.Optional(Events),
      project: Type.Optional(ProjectSelector),
    },
    { $id: "WebhookRequest" },
  ),
);

export const WebhookChange = schema(
  Type.Object(
    {
      name: Type.Optional(Name),
      events: Type.Optional(Events),
      enabled: Type.Optional(Type.Boolean()),
    },
    { $id: "WebhookChange" },
  ),
);

export const Delivery = schema(
  Type.Object(
    {
      id: ObjectId,
      type: Type.String({ ...ofServer, maxLength: typeCharsMax }),
      created_at: IsoTime,
      tries: Count,
      state: Type.Enum([...deliveryStates]),
      status: Type.Optional(Count),
      error: Type.Optional(Type.Enum([...deliveryErrors])),
      ms: Type.Optional(Count),
    },
    { $id: "WebhookDelivery" },
  ),
);
export type Delivery = Static<typeof Delivery>;

export const DeliveryList = schema(
  Type.Object(
    { deliveries: Type.Array(Delivery, { maxItems: deliveriesShownMax }) },
    { $id: "WebhookDeliveryList" },
  ),
);
export const OneDelivery = schema(
  Type.Object({ delivery: Delivery }, { $id: "OneWebhookDelivery" }),
);
export const WebhookGone = schema(Type.Object({ ok: Type.Literal(true) }, { $id: "WebhookGone" }));
