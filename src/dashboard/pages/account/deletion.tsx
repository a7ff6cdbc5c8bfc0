import { useState } from "preact/hooks";
import type { Account, Billing } from "../../data/account-answers";
import { call } from "../../data/api";
import { leaveFor } from "../../lib/server-path";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { PresentPassword } from "../../ui/present-password";
import { confirmed } from "../../ui/question";
import { useAction } from "../../ui/use-action";

/** Deletes the account, once its password was given. */
export function Deletion({ account }: { readonly account: Account }) {
  const [password, setPassword] = useState("");
  const { error, isBusy, run } = useAction();
  const remove = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const { answer } = await call<Billing>({ method: "GET", path: "/billing" });
      const isPaid = answer.status === "active" || answer.status === "past_due";
      const hint = isPaid ? " This does not cancel your subscription. Cancel it first." : "";
      const question = `Delete the account ${account.email} and all its projects? This cannot be undone.${hint}`;
      if (!(await confirmed(question, "Delete everything"))) return;
      await call({ method: "DELETE", path: "/account", body: { password } });
      leaveFor("/login");
    });
  };
  return (
    <Card title="Delete the account">
      <details>
        <summary>What happens</summary>
        <p class="fine">
          All your projects, keys and sessions stop working immediately, and the data is erased 30
          days later. This cannot be undone.
        </p>
        <form class="form" id="deletion-form" onSubmit={remove} aria-busy={isBusy}>
          <PresentPassword
            id="deletion-password"
            label="Password"
            email={account.email}
            value={password}
            change={setPassword}
          />
          <Outcome error={error} done="" />
          <button type="submit" class="danger">
            Delete the account
          </button>
        </form>
      </details>
    </Card>
  );
}
