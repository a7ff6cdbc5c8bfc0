import { useState } from "preact/hooks";
import type { OwnAccount } from "../../data/account-answers";
import { call } from "../../data/api";
import { Choice, Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { PresentPassword } from "../../ui/present-password";
import { confirmed } from "../../ui/question";
import type { Member } from "./members";

interface Props {
  readonly account: OwnAccount;
  readonly members: readonly Member[];
}

/** The operations of the owner alone: naming the account, and giving it to somebody else. */
export const Ownership = ({ account, members }: Props) => (
  <>
    <Name account={account} />
    <Transfer account={account} heirs={members.filter(({ role }) => role === "admin")} />
  </>
);

function Name({ account }: { readonly account: OwnAccount }) {
  const [name, setName] = useState(account.name);
  const rename = async () => {
    await call({ method: "PATCH", path: "/account", body: { name } });
    return "Saved.";
  };
  return (
    <details>
      <summary>Name the account</summary>
      <Form id="name-form" send={rename} submit="Save">
        <Field
          id="account-name"
          label="Name"
          hint="Members see it. Empty: your email."
          isRequired={false}
          maxLength={64}
          value={name}
          change={setName}
        />
      </Form>
    </details>
  );
}

function Transfer({
  account,
  heirs,
}: {
  readonly account: OwnAccount;
  readonly heirs: Props["members"];
}) {
  const [to, setTo] = useState("");
  const [password, setPassword] = useState("");
  const heir = heirs.find(({ id }) => id === to) ?? heirs[0];
  const transfer = async () => {
    if (heir === undefined) return;
    const question = `Make ${heir.email} the owner? You become an admin of this account.`;
    if (!(await confirmed(question, "Transfer"))) return;
    await call({ method: "POST", path: "/account/transfer", body: { to: heir.id, password } });
    location.reload();
  };
  return (
    <details>
      <summary>Transfer the account</summary>
      {heir === undefined ? (
        <p class="fine">Make a member an admin first: only an admin can become the owner.</p>
      ) : (
        <Form id="transfer-form" send={transfer} submit="Transfer" look="danger">
          <Choice
            id="transfer-to"
            label="New owner"
            options={Object.fromEntries(heirs.map(({ id, email }) => [id, email]))}
            value={heir.id}
            change={setTo}
          />
          <PresentPassword
            id="transfer-password"
            label="Your password"
            email={account.user?.email ?? ""}
            value={password}
            change={setPassword}
          />
        </Form>
      )}
    </details>
  );
}
