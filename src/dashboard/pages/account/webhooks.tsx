import { useState } from "preact/hooks";
import { call } from "../../data/api";
import type {
  DeliveriesAnswer,
  Delivery,
  NewWebhook,
  TestAnswer,
  Webhook,
  WebhooksAnswer,
} from "../../data/message-answers";
import { prepare, useRead } from "../../data/reads";
import { localTime } from "../../lib/words";
import { Card } from "../../ui/card";
import { CopyBlock } from "../../ui/copy-block";
import { Choice, Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";

const request = { method: "GET", path: "/webhooks" } as const;

/** The webhooks of the account: addresses of programs and chats to which the server sends messages. */
export function Webhooks() {
  const reading = useRead<WebhooksAnswer>("Webhooks", request);
  return (
    <Card title="Webhooks" id="webhooks-heading">
      <p class="fine">
        A webhook tells a program of yours, Slack or Discord what happens. Alerts and reports can go
        to it, also where this server sends no mail.
      </p>
      <When reading={reading} rows={2}>
        {({ webhooks }) => (
          <ul id="webhooks" class="entries">
            {webhooks.map((one) => (
              <Entry key={one.id} webhook={one} />
            ))}
          </ul>
        )}
      </When>
      <NewHook />
    </Card>
  );
}

const offReasons = {
  owner: "Switched off",
  gone: "Switched off, as its receiver said that it is gone",
  failing: "Switched off, as nothing was delivered for five days",
} as const;

function stateOf({ enabled, disabled_reason: reason = "owner", failing_since }: Webhook): string {
  if (!enabled) return offReasons[reason];
  return failing_since === undefined
    ? "On"
    : `On, but nothing was delivered since ${localTime(failing_since)}`;
}

const wordsOf = ({ state, error, status }: Delivery): string =>
  state === "delivered"
    ? "delivered"
    : `${state === "queued" ? "is tried again" : "failed"}${error === undefined ? "" : `: ${status ?? error}`}`;

function Entry({ webhook }: { readonly webhook: Webhook }) {
  const [deliveries, setDeliveries] = useState<readonly Delivery[] | null>(null);
  const [done, setDone] = useState("");
  const { error, isBusy, run } = useAction();
  const path = `/webhooks/${webhook.id}`;
  const show = async () => {
    const of = { method: "GET", path: `${path}/deliveries`, query: {} } as const;
    setDeliveries((await call<DeliveriesAnswer>(of)).answer.deliveries);
  };
  const test = async () => {
    const sent = { method: "POST", path: `${path}/test`, body: {} } as const;
    setDone(`The test: ${wordsOf((await call<TestAnswer>(sent)).answer.delivery)}.`);
  };
  const turn = async () => {
    await call({ method: "PATCH", path, body: { enabled: !webhook.enabled } });
    await prepare(request, 0);
  };
  const remove = async () => {
    if (!(await confirmed(`Delete the webhook “${webhook.name}”?`, "Delete"))) return;
    await call({ method: "DELETE", path });
    await prepare(request, 0);
  };
  const actions = [
    ["Test", test],
    ["Deliveries", show],
    [webhook.enabled ? "Switch off" : "Switch on", turn],
    ["Delete", remove],
  ] as const;
  return (
    <li>
      <div>
        <strong>
          <Said text={webhook.name} />
        </strong>
        <p class="fine">
          <Said text={webhook.url} />
        </p>
        <p class={webhook.enabled && webhook.failing_since === undefined ? "fine" : "alert"}>
          {stateOf(webhook)}
        </p>
      </div>
      {actions.map(([text, work]) => (
        <button
          key={text}
          type="button"
          class={text === "Delete" ? "small danger" : "small"}
          aria-label={`${text}: ${webhook.name}`}
          disabled={isBusy}
          onClick={() => run(work)}
        >
          {text}
        </button>
      ))}
      <Outcome error={error} done={done} />
      {deliveries !== null && (
        <ul class="plain-list">
          {deliveries.length === 0 && <li>Nothing was sent yet</li>}
          {deliveries.map((one) => (
            <li key={one.id}>
              {localTime(one.created_at)}: {one.type}, {wordsOf(one)}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const hookKinds = { signed: "A program of yours", slack: "Slack", discord: "Discord" } as const;

function NewHook() {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [kind, setKind] = useState<string>("signed");
  const [made, setMade] = useState<NewWebhook | null>(null);
  const make = async () => {
    const body = { name: name.trim(), kind, url: url.trim() };
    setMade((await call<NewWebhook>({ method: "POST", path: "/webhooks", body })).answer);
    setName("");
    setUrl("");
    await prepare(request, 0);
  };
  return (
    <details id="new-webhook">
      <summary>New webhook</summary>
      {made?.secret !== undefined && (
        <div role="status">
          <p>
            With this secret your program checks that a message is from this server.{" "}
            <strong>It is shown only now.</strong>
          </p>
          <CopyBlock id="webhook-secret" text={made.secret} what="the secret" />
        </div>
      )}
      <Form send={make} submit="Create webhook">
        <Field id="webhook-name" label="Name" maxLength={64} value={name} change={setName} />
        <Choice
          id="webhook-kind"
          label="Receiver"
          options={hookKinds}
          value={kind}
          change={setKind}
        />
        <Field
          id="webhook-url"
          label="Address"
          hint="begins with https://"
          maxLength={2_000}
          value={url}
          change={setUrl}
        />
      </Form>
    </details>
  );
}
