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
import { Form } from "../../ui/form";
import { accountsRequest } from "./requests";
import { type Rights, RightsFields } from "./rights";

const usual: Rights = { tier: "", complimentary: false, is_admin: false };

export function NewAccount({ say }: { readonly say: (done: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [rights, setRights] = useState(usual);
  const make = async () => {
    const sent = { email: email.trim(), password, ...rights, tier: rights.tier || null };
    await call({ method: "POST", path: "/admin/accounts", body: sent });
    setEmail("");
    setPassword("");
    setRights(usual);
    setOpen(false);
    await prepare(accountsRequest, 0);
    say(`Created an account for ${sent.email}.`);
    document.getElementById("accounts-heading")?.focus();
  };
  return (
    <Card title="New account">
      <details
        id="new"
        open={isOpen}
        onToggle={(event) => setOpen(event.currentTarget.hasAttribute("open"))}
      >
        <summary>Create an account for someone</summary>
        <Form id="new-form" send={make} submit="Create account">
          <Field
            id="new-email"
            label="Email"
            type="email"
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
        </Form>
      </details>
    </Card>
  );
}
