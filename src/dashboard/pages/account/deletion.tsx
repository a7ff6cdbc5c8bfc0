import { useState } from "preact/hooks";
import type { Account, Billing } from "../../data/account-answers";
import { call } from "../../data/api";
import { leaveFor } from "../../lib/server-path";
import { Card } from "../../ui/card";
import { Form } from "../../ui/form";
import { PresentPassword } from "../../ui/present-password";
import { confirmed } from "../../ui/question";

/** Deletes the account, once its password was given. */
export function Deletion({ account }: { readonly account: Account }) {
  const [password, setPassword] = useState("");
  const remove = async () => {
    const { answer } = await call<Billing>({ method: "GET", path: "/billing" });
    const isPaid = answer.status === "active" || answer.status === "past_due";
    const hint = isPaid ? " This does not cancel your subscription. Cancel it first." : "";
    const question = `Delete the account ${account.email} and all its projects? This cannot be undone.${hint}`;
    if (!(await confirmed(question, "Delete everything"))) return;
    await call({ method: "DELETE", path: "/account", body: { password } });
    leaveFor("/login");
  };
  return (
    <Card title="Delete the account">
      <details>
        <summary>What happens</summary>
        <p class="fine">
          All your projects, keys and sessions stop working immediately, and the data is erased 30
          days later. This cannot be undone.
        </p>
        <Form id="deletion-form" send={remove} submit="Delete the account" look="danger">
          <PresentPassword
            id="deletion-password"
            label="Password"
            email={account.email}
            value={password}
            change={setPassword}
          />
        </Form>
      </details>
    </Card>
  );
}
