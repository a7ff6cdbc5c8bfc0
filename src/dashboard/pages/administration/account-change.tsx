import { useEffect, useRef, useState } from "preact/hooks";
import type { Account } from "../../data/account-answers";
import { call } from "../../data/api";
import { emailCharsMax, Field, passwordCharsMax, passwordCharsMin } from "../../ui/field";
import { Form, Second } from "../../ui/form";
import { GettingIn } from "./getting-in";
import { type Rights, RightsFields } from "./rights";

interface AccountChangeProps {
  readonly before: Account;
  readonly close: () => void;
  readonly settle: (what: string) => Promise<void>;
}

export function AccountChange({ before, close, settle }: AccountChangeProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const [email, setEmail] = useState(before.email);
  const [password, setPassword] = useState("");
  const [rights, setRights] = useState<Rights>(before);
  const save = async () => {
    const body = changesOf(before, { ...rights, email: email.trim(), password });
    await call({ method: "PATCH", path: `/admin/accounts/${before.id}`, body });
    close();
    await settle(`Saved ${email.trim()}.`);
  };
  return (
    <dialog
      id="change"
      class="question"
      ref={dialog}
      aria-labelledby="change-heading"
      onClose={close}
    >
      <Form
        id="change-form"
        send={save}
        submit="Save"
        more={<Second id="change-cancel" press={close} />}
      >
        <h2 id="change-heading">Change {before.email}</h2>
        <Field
          id="change-email"
          label="Email"
          type="email"
          maxLength={emailCharsMax}
          value={email}
          change={setEmail}
        />
        <Field
          id="change-password"
          label="New password"
          hint="optional; a new password logs out their browsers"
          type="password"
          autocomplete="new-password"
          isRequired={false}
          minLength={passwordCharsMin}
          maxLength={passwordCharsMax}
          value={password}
          change={setPassword}
        />
        <RightsFields form="change" rights={rights} change={setRights} />
      </Form>
      <GettingIn account={before} />
    </dialog>
  );
}

interface Wanted extends Rights {
  readonly email: string;
  readonly password: string;
}

/** Only what was changed is sent. A complimentary account shows Pro, so its own plan is sent when that ends. */
function changesOf(before: Account, wanted: Wanted): Record<string, unknown> {
  const ends = before.complimentary && !wanted.complimentary;
  return {
    ...(wanted.email !== before.email && { email: wanted.email }),
    ...(wanted.password !== "" && { password: wanted.password }),
    ...((wanted.tier !== before.tier || ends) && { tier: wanted.tier }),
    ...(wanted.complimentary !== before.complimentary && { complimentary: wanted.complimentary }),
    ...(wanted.is_admin !== before.is_admin && { is_admin: wanted.is_admin }),
  };
}
