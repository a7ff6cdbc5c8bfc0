import { useState } from "preact/hooks";
import type { Account } from "../../data/account-answers";
import { call } from "../../data/api";
import { forget } from "../../data/reads";
import { Card } from "../../ui/card";
import { Field, passwordCharsMax, passwordCharsMin, passwordHint } from "../../ui/field";
import { Form } from "../../ui/form";
import { PresentPassword } from "../../ui/present-password";

export function Password({ account }: { readonly account: Account }) {
  const [now, setNow] = useState("");
  const [next, setNext] = useState("");
  const change = async () => {
    const body = { current_password: now, new_password: next };
    await call({ method: "POST", path: "/auth/password", body });
    setNow("");
    setNext("");
    forget();
    return "Your password has been changed.";
  };
  return (
    <Card title="Password">
      <p class="fine">
        Changing the password logs out your other browsers. Agents and the API key keep working.
      </p>
      <Form id="password-form" send={change} submit="Change password">
        <PresentPassword
          id="password-now"
          label="Current password"
          email={account.email}
          value={now}
          change={setNow}
        />
        <Field
          id="password-new"
          label="New password"
          hint={passwordHint}
          type="password"
          autocomplete="new-password"
          minLength={passwordCharsMin}
          maxLength={passwordCharsMax}
          value={next}
          change={setNext}
        />
      </Form>
    </Card>
  );
}
