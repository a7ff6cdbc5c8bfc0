import { useState } from "preact/hooks";
import type { Account } from "../../data/account-answers";
import { call } from "../../data/api";
import { prepare } from "../../data/reads";
import { countOf, planName } from "../../lib/words";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { useAction } from "../../ui/use-action";
import { AccountChange } from "./account-change";
import { accountsRequest } from "./requests";

interface AccountsProps {
  readonly accounts: readonly Account[];
  readonly say: (done: string) => void;
}

export function Accounts({ accounts, say }: AccountsProps) {
  const [changed, setChanged] = useState<Account | null>(null);
  const { error, isBusy, run } = useAction();
  /** Says so, and puts the focus where the list is: what had it may be gone. */
  const settle = async (what: string) => {
    await prepare(accountsRequest, 0);
    say(what);
    document.getElementById("accounts-heading")?.focus();
  };
  const remove =
    ({ id, email }: Account) =>
    async () => {
      const question = `Delete the account ${email} and all its projects? This cannot be undone.`;
      if (!(await confirmed(question, "Delete everything"))) return;
      await call({ method: "DELETE", path: `/admin/accounts/${id}` });
      await settle(`Deleted ${email}.`);
    };
  return (
    <>
      <Outcome error={error} done="" />
      <ul id="accounts" class="entries">
        {accounts.map((one) => (
          <li key={one.id}>
            <div>
              <strong>
                <Said text={one.email} />
              </strong>
              <p class="fine">{factsOf(one)}</p>
            </div>
            <button
              type="button"
              class="small"
              aria-label={`Change ${one.email}`}
              onClick={() => setChanged(one)}
            >
              Change
            </button>
            <button
              type="button"
              class="small danger"
              aria-label={`Delete ${one.email}`}
              disabled={isBusy}
              onClick={() => run(remove(one))}
            >
              Delete
            </button>
          </li>
        ))}
      </ul>
      {changed !== null && (
        <AccountChange
          key={changed.id}
          before={changed}
          close={() => setChanged(null)}
          settle={settle}
        />
      )}
    </>
  );
}

const factsOf = (account: Account): string =>
  [
    planName(account),
    ...(account.is_admin ? ["administrator"] : []),
    countOf(account.projects_count, "project"),
    `${countOf(account.usage.events, "event")} this month`,
  ].join(", ");
