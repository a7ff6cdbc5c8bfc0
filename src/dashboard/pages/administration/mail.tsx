import { useState } from "preact/hooks";
import { call } from "../../data/api";
import type { MailState } from "../../data/message-answers";
import { useRead } from "../../data/reads";
import { countOf, localTime } from "../../lib/words";
import { account } from "../../state/account";
import { Card } from "../../ui/card";
import { emailCharsMax, Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";

const request = { method: "GET", path: "/admin/mail" } as const;
const shownMax = 10;

const kinds: Readonly<Record<string, string>> = {
  invitation: "Invitation",
  reset: "Link for a new password",
  security: "Change of a log-in",
  report: "Report",
  alert: "Alert",
  confirm: "Request to confirm reports or alerts",
  operator: "Message about this server",
  test: "Test",
};
const states: Readonly<Record<string, string>> = {
  queued: "waits for the mail server",
  sent: "sent",
  failed: "not delivered",
};

/** The mail that this server sends: whether it may, and what became of the last messages. */
export function MailCard() {
  const reading = useRead<MailState>("Mail", request);
  return (
    <Card title="Mail" id="mail-heading">
      <When reading={reading} rows={2}>
        {(mail) => (mail.configured ? <On mail={mail} /> : <Off missing={mail.missing} />)}
      </When>
    </Card>
  );
}

const Off = ({ missing }: { readonly missing: readonly string[] }) => (
  <>
    <p id="mail-off">
      Mail is off. To switch it on, set {missing.join(", ")} and start the server again.
    </p>
    <p class="fine">
      Without mail you pass on links of invitations yourself, and alerts and reports go to webhooks.
    </p>
  </>
);

function On({ mail }: { readonly mail: MailState }) {
  const [to, setTo] = useState(account.value?.email ?? "");
  const test = async () => {
    const body = { to: to.trim() };
    await call({ method: "POST", path: "/admin/mail/test", body });
    return "The mail server took the test.";
  };
  return (
    <>
      <p id="mail-state">
        Mail is on: {countOf(mail.sent_24h, "message")} sent in 24 hours, {mail.queued} waiting,{" "}
        {mail.failed_24h} not delivered.
      </p>
      <ul id="mails" class="entries">
        {mail.messages.slice(0, shownMax).map((one) => (
          <li key={`${one.created_at} ${one.to} ${one.kind}`}>
            <div>
              {kinds[one.kind] ?? one.kind} to <Said text={one.to} />:{" "}
              {states[one.state] ?? one.state}
              <p class="fine">
                {localTime(one.created_at)}
                {one.error !== undefined && (
                  <>
                    , <Said text={one.error} />
                  </>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <Form id="mail-test" send={test} submit="Send test">
        <Field
          id="mail-to"
          label="Send a test to"
          type="email"
          maxLength={emailCharsMax}
          value={to}
          change={setTo}
        />
      </Form>
    </>
  );
}
