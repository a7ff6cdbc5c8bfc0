import { useState } from "preact/hooks";
import { call } from "../../data/api";
import { prepare } from "../../data/reads";
import { Card } from "../../ui/card";
import {
  emailCharsMax,
  Field,
  passwordCharsMax,
  passwordCharsMin,
  passwordHint,
} from "../../ui/field";
import { Outcome } from "../../ui/outcome";
import { useAction } from "../../ui/use-action";
import { accountsRequest } from "./requests";
import { type Rights, RightsFields } from "./rights";

const usual: Rights = { tier: "", complimentary: false, is_admin: false };

export function NewAccount({ say }: { readonly say: (done: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [rights, setRights] = useState(usual);
  const { error, isBusy, run } = useAction();
  const make = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const sent = { email: email.trim(), password, ...rights, tier: rights.tier || null };
      await call({ method: "POST", path: "/admin/accounts", body: sent });
      setEmail("");
      setPassword("");
      setRights(usual);
      setOpen(false);
      await prepare(accountsRequest, 0);
      say(`Created an account for ${sent.email}.`);
      document.getElementById("accounts-heading")?.focus();
    });
  };
  return (
    <Card title="New account">
      <details
        id="new"
        open={isOpen}
        onToggle={(event) => setOpen(event.currentTarget.hasAttribute("open"))}
      >
        <summary>Create an account for someone</summary>
        <form class="form" id="new-form" onSubmit={make} autocomplete="off" aria-busy={isBusy}>
          <Field
            id="new-email"
            label="Email"
            type="email"
            autocomplete="off"
            maxLength={emailCharsMax}
            value={email}
            change={setEmail}
          />
          <Field
            id="new-password"
            label="Password"
            hint={`${passwordHint}; the user can change it`}
            type="password"
            autocomplete="new-password"
            minLength={passwordCharsMin}
            maxLength={passwordCharsMax}
            value={password}
            change={setPassword}
          />
          <RightsFields form="new" rights={rights} change={setRights} mayLeaveTier />
          <Outcome error={error} done="" />
          <button type="submit" class="primary">
            Create account
          </button>
        </form>
      </details>
    </Card>
  );
}
