import { useState } from "preact/hooks";
import type { InvitedAnswer, MembersAnswer } from "../../data/account-answers";
import { call } from "../../data/api";
import { localDate } from "../../lib/words";
import { CopyBlock } from "../../ui/copy-block";
import { emailCharsMax, Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { Outcome } from "../../ui/outcome";
import { Said } from "../../ui/said";
import { useAction } from "../../ui/use-action";
import { settle } from "./members";
import { type GrantedRights, RightsOfMember } from "./rights-fields";

type Invitation = NonNullable<MembersAnswer["invitations"]>[number];

const mailStates: Readonly<Record<Invitation["mail"], string>> = {
  none: "the link was not mailed",
  queued: "the mail waits for the mail server",
  sent: "the link was mailed",
  failed: "the mail server did not take the mail",
};

/** People who are invited and have not joined yet. */
export function Invitations({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const [made, setMade] = useState<InvitedAnswer | null>(null);
  const { error, isBusy, run } = useAction();
  if (invitations.length === 0) return null;
  /** An invitation of the same address replaces the one before. */
  const renew =
    ({ email, role, projects, people }: Invitation) =>
    async () => {
      setMade(await invite({ email, role, people, ...(projects !== null && { projects }) }));
      await settle();
    };
  const revoke =
    ({ id }: Invitation) =>
    async () => {
      await call({ method: "DELETE", path: `/members/invitations/${id}` });
      await settle();
    };
  return (
    <>
      <h3>Invited, and not joined yet</h3>
      {made !== null && <NewLink made={made} />}
      <ul id="invitations" class="entries">
        {invitations.map((one) => (
          <li key={one.id}>
            <div>
              <strong>
                <Said text={one.email} />
              </strong>
              <p class="fine">
                {one.role}, {mailStates[one.mail]}, good until {localDate(one.expires_at)}
              </p>
            </div>
            <button
              type="button"
              class="small"
              aria-label={`New link for ${one.email}`}
              disabled={isBusy}
              onClick={() => run(renew(one))}
            >
              New link
            </button>
            <button
              type="button"
              class="small"
              aria-label={`Revoke the invitation of ${one.email}`}
              disabled={isBusy}
              onClick={() => run(revoke(one))}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
      <Outcome error={error} done="" />
    </>
  );
}

const invite = async (body: Readonly<Record<string, unknown>>): Promise<InvitedAnswer> =>
  (await call<InvitedAnswer>({ method: "POST", path: "/members/invitations", body })).answer;

const usual: GrantedRights = { role: "viewer", people: false, projects: null };

export function Invite() {
  const [email, setEmail] = useState("");
  const [rights, setRights] = useState(usual);
  const [made, setMade] = useState<InvitedAnswer | null>(null);
  const send = async () => {
    setMade(await invite({ email: email.trim(), ...rights }));
    setEmail("");
    setRights(usual);
    await settle();
  };
  return (
    <details id="invite">
      <summary>Invite somebody</summary>
      {made !== null && <NewLink made={made} />}
      <Form id="invite-form" send={send} submit="Invite">
        <Field
          id="invite-email"
          label="Email"
          type="email"
          maxLength={emailCharsMax}
          value={email}
          change={setEmail}
        />
        <RightsOfMember form="invite" rights={rights} change={setRights} />
      </Form>
    </details>
  );
}

const NewLink = ({ made: { email, mailed, url } }: { readonly made: InvitedAnswer }) => (
  <div id="invite-link" role="status">
    <p>
      {mailed
        ? `A mail with this link is on its way to ${email}. `
        : `This server sends no mail: give this link to ${email} yourself. `}
      <strong>It is shown only now</strong>, works once and for seven days.
    </p>
    <CopyBlock id="invite-url" text={url} what="the link" />
  </div>
);
