import { useState } from "preact/hooks";
import type { Account } from "../../data/account-answers";
import { call } from "../../data/api";
import { localTime } from "../../lib/words";
import { CopyBlock } from "../../ui/copy-block";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { useAction } from "../../ui/use-action";

interface PasswordLink {
  readonly url: string;
  readonly expires_at: string;
}

/** Help for the owner of an account who has forgotten the password, or lost the phone with the second factor. */
export function GettingIn({ account: { id, email } }: { readonly account: Account }) {
  const [link, setLink] = useState<PasswordLink | null>(null);
  const [done, setDone] = useState("");
  const { error, isBusy, run } = useAction();
  const path = `/admin/accounts/${id}`;
  const makeLink = async () => {
    const request = { method: "POST", path: `${path}/reset-link`, body: {} } as const;
    setLink((await call<PasswordLink>(request)).answer);
  };
  const turnOff = async () => {
    const question = `Turn off the second factor of ${email}? The password is then enough to log in.`;
    if (!(await confirmed(question, "Turn off"))) return;
    await call({ method: "POST", path: `${path}/two-factor/off`, body: {} });
    setDone("Their second factor is off.");
  };
  return (
    <section id="getting-in" aria-labelledby="getting-in-heading">
      <h3 id="getting-in-heading">If the owner cannot log in</h3>
      <p class="fine">
        With a link the owner sets a new password. If the owner has lost the phone and the recovery
        codes, turn off the second factor.
      </p>
      <div class="buttons">
        <button type="button" class="second" disabled={isBusy} onClick={() => run(makeLink)}>
          Link for a new password
        </button>
        <button type="button" class="second" disabled={isBusy} onClick={() => run(turnOff)}>
          Turn off the second factor
        </button>
      </div>
      {link !== null && (
        <div role="status">
          <p>
            Give this link to {email}. <strong>This page shows it only now</strong>. It works once,
            until {localTime(link.expires_at)}.
          </p>
          <CopyBlock id="reset-url" text={link.url} what="the link" />
        </div>
      )}
      <Outcome error={error} done={done} />
    </section>
  );
}
