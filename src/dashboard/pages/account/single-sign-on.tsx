import { useState } from "preact/hooks";
import type { OwnAccount } from "../../data/account-answers";
import { call, confirmation } from "../../data/api";
import { prepare, useRead } from "../../data/reads";
import { addressAt } from "../../lib/server-path";
import { localDate } from "../../lib/words";
import { Form } from "../../ui/form";
import { Outcome } from "../../ui/outcome";
import { PresentPassword } from "../../ui/present-password";
import { Said } from "../../ui/said";
import { useAction } from "../../ui/use-action";

interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly name?: string;
  readonly linked_at: string;
}
interface IdentitiesAnswer {
  readonly identities: readonly Identity[];
}
const state = { method: "GET", path: "/auth/state" } as const;
const listed = { method: "GET", path: "/auth/identities" } as const;

interface Props {
  readonly account: OwnAccount;
}

/** The person's identities at providers of single sign-on, where the server has a provider or had one. */
export function SingleSignOn({ account }: Props) {
  const about = useRead<{ readonly oidc?: { readonly name: string } }>("Single sign-on", state);
  const reading = useRead<IdentitiesAnswer>("Linked identities", listed);
  const identities = reading.data?.identities ?? [];
  const name = about.data?.oidc?.name;
  if (name === undefined && identities.length === 0) return null;
  return (
    <>
      <h3>Single sign-on</h3>
      <ul id="identities" class="entries">
        {identities.map((one) => (
          <Linked key={`${one.issuer} ${one.subject}`} identity={one} account={account} />
        ))}
      </ul>
      {name !== undefined && <Link name={name} isMore={identities.length > 0} />}
    </>
  );
}

function Linked({ identity, account }: Props & { readonly identity: Identity }) {
  const { issuer, subject, name, linked_at } = identity;
  const [isEnding, setEnding] = useState(false);
  const [password, setPassword] = useState("");
  const unlink = async () => {
    const body = { issuer, subject, password };
    await call({ method: "POST", path: "/auth/identities/unlink", body });
    await prepare(listed, 0);
    document.getElementById("security-heading")?.focus();
  };
  return (
    <li>
      <div>
        <strong>
          <Said text={name ?? issuer} />
        </strong>
        <p class="fine">
          <Said text={subject} />, linked {localDate(linked_at)}
          {name === undefined && ". This server does not use this provider any more."}
        </p>
      </div>
      <button
        type="button"
        class="small"
        aria-expanded={isEnding}
        onClick={() => setEnding(!isEnding)}
      >
        {isEnding ? "Cancel" : "Unlink"}
      </button>
      {isEnding && (
        <Form send={unlink} submit="Unlink" look="danger">
          <p class="fine">
            You can then log in with your password. Enter it now, to show that you know it.
          </p>
          <PresentPassword
            id="unlink-password"
            label="Password"
            email={account.user?.email ?? account.email}
            value={password}
            change={setPassword}
          />
        </Form>
      )}
    </li>
  );
}

/** The provider's page follows, so this button asks for the password. */
function Link({ name, isMore }: { readonly name: string; readonly isMore: boolean }) {
  const { error, run } = useAction();
  const link = async () => {
    await confirmation();
    location.assign(addressAt("/auth/oidc?link=1"));
  };
  return (
    <>
      <button id="oidc-link" type="button" class="second" onClick={() => run(link)}>
        Link {isMore ? "another identity at" : ""} {name} to this log-in
      </button>
      <Outcome error={error} done="" />
    </>
  );
}
