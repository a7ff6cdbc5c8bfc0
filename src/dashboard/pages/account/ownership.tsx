import { useState } from "preact/hooks";
import type { OwnAccount } from "../../data/account-answers";
import { call } from "../../data/api";
import { Field } from "../../ui/field";
import { Outcome } from "../../ui/outcome";
import { PresentPassword } from "../../ui/present-password";
import { confirmed } from "../../ui/question";
import { useAction } from "../../ui/use-action";
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
  const [done, setDone] = useState("");
  const { error, isBusy, run } = useAction();
  const rename = (event: Event) => {
    event.preventDefault();
    setDone("");
    run(async () => {
      await call({ method: "PATCH", path: "/account", body: { name } });
      setDone("Saved.");
    });
  };
  return (
    <details>
      <summary>Name the account</summary>
      <form class="form" id="name-form" onSubmit={rename} aria-busy={isBusy}>
        <Field
          id="account-name"
          label="Name"
          hint="Members see it. Empty: your email."
          isRequired={false}
          maxLength={64}
          value={name}
          change={setName}
        />
        <Outcome error={error} done={done} />
        <button type="submit" class="primary">
          Save
        </button>
      </form>
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
  const { error, isBusy, run } = useAction();
  const heir = heirs.find(({ id }) => id === to) ?? heirs[0];
  const transfer = (event: Event) => {
    event.preventDefault();
    run(async () => {
      if (heir === undefined) return;
      const question = `Make ${heir.email} the owner? You become an admin of this account.`;
      if (!(await confirmed(question, "Transfer"))) return;
      await call({ method: "POST", path: "/account/transfer", body: { to: heir.id, password } });
      location.reload();
    });
  };
  return (
    <details>
      <summary>Transfer the account</summary>
      {heir === undefined ? (
        <p class="fine">Make a member an admin first: only an admin can become the owner.</p>
      ) : (
        <form class="form" id="transfer-form" onSubmit={transfer} aria-busy={isBusy}>
          <label for="transfer-to">
            <span>New owner</span>
            <select
              id="transfer-to"
              value={heir.id}
              onChange={({ currentTarget }) => setTo(currentTarget.value)}
            >
              {heirs.map(({ id, email }) => (
                <option key={id} value={id}>
                  {email}
                </option>
              ))}
            </select>
          </label>
          <PresentPassword
            id="transfer-password"
            label="Your password"
            email={account.user?.email ?? ""}
            value={password}
            change={setPassword}
          />
          <Outcome error={error} done="" />
          <button type="submit" class="danger">
            Transfer
          </button>
        </form>
      )}
    </details>
  );
}
