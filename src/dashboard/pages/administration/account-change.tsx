import { useEffect, useRef, useState } from "preact/hooks";
import type { Account } from "../../data/account-answers";
import { call } from "../../data/api";
import { emailCharsMax, Field, passwordCharsMax, passwordCharsMin } from "../../ui/field";
import { Outcome } from "../../ui/outcome";
import { useAction } from "../../ui/use-action";
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
  const { error, isBusy, run } = useAction();
  const save = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const body = changesOf(before, { ...rights, email: email.trim(), password });
      await call({ method: "PATCH", path: `/admin/accounts/${before.id}`, body });
      close();
      await settle(`Saved ${email.trim()}.`);
    });
  };
  return (
    <dialog
      id="change"
      class="question"
      ref={dialog}
      aria-labelledby="change-heading"
      onClose={close}
    >
      <form class="form" id="change-form" onSubmit={save} autocomplete="off" aria-busy={isBusy}>
        <h2 id="change-heading">Change {before.email}</h2>
        <Field
          id="change-email"
          label="Email"
          type="email"
          autocomplete="off"
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
        <Outcome error={error} done="" />
        <div class="buttons">
          <button type="submit" class="primary">
            Save
          </button>
          <button id="change-cancel" type="button" class="second" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
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
