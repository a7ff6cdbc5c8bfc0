import { useState } from "preact/hooks";
import type { Account } from "../../data/account-answers";
import { call } from "../../data/api";
import { forget } from "../../data/reads";
import { Card } from "../../ui/card";
import { Field, passwordCharsMax, passwordCharsMin, passwordHint } from "../../ui/field";
import { Outcome } from "../../ui/outcome";
import { PresentPassword } from "../../ui/present-password";
import { useAction } from "../../ui/use-action";

export function Password({ account }: { readonly account: Account }) {
  const [now, setNow] = useState("");
  const [next, setNext] = useState("");
  const [done, setDone] = useState("");
  const { error, isBusy, run } = useAction();
  const change = (event: Event) => {
    event.preventDefault();
    setDone("");
    run(async () => {
      const body = { current_password: now, new_password: next };
      await call({ method: "POST", path: "/auth/password", body });
      setNow("");
      setNext("");
      setDone("Your password has been changed.");
      forget();
    });
  };
  return (
    <Card title="Password">
      <p class="fine">
        Changing the password logs out your other browsers. Agents and the API key keep working.
      </p>
      <form class="form" id="password-form" onSubmit={change} aria-busy={isBusy}>
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
        <Outcome error={error} done={done} />
        <button type="submit" class="primary">
          Change password
        </button>
      </form>
    </Card>
  );
}
