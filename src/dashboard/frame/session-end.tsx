import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Account } from "../data/account-answers";
import { call, leave, Refusal, whenSessionEnds } from "../data/api";
import { account } from "../state/account";
import { Outcome } from "../ui/outcome";
import { PresentPassword } from "../ui/present-password";
import { useAction } from "../ui/use-action";

/** The requests that wait until the person is logged in again. */
interface Waiting {
  readonly goOn: () => void;
  readonly giveUp: (why: Refusal) => void;
}
const waiting = signal<Waiting | null>(null);

/**
 * The session has ended: the person logs in where they are, so that nothing they wrote is lost, and what was asked for
 * is asked again. Nothing is kept anywhere for it.
 */
export function SessionEnd() {
  const who = account.value;
  useEffect(
    () =>
      whenSessionEnds(
        () =>
          new Promise((goOn, giveUp) => {
            waiting.value = { goOn, giveUp };
          }),
      ),
    [],
  );
  const { value } = waiting;
  return value === null || who === null ? null : <LogIn who={who} waiting={value} />;
}

function LogIn({
  who,
  waiting: { goOn, giveUp },
}: {
  readonly who: Account;
  readonly waiting: Waiting;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [password, setPassword] = useState("");
  const { error, isBusy, run } = useAction();
  useEffect(() => dialog.current?.showModal(), []);
  const logIn = (event: Event) => {
    event.preventDefault();
    run(async () => {
      await signIn(who.email, password);
      waiting.value = null;
      goOn();
    });
  };
  const close = () => {
    waiting.value = null;
    giveUp(new Refusal(401, "AUTH_REQUIRED", "You are logged out. Log in and try again."));
  };
  return (
    <dialog
      id="session-end"
      class="question"
      ref={dialog}
      aria-labelledby="session-end-heading"
      onClose={close}
    >
      <form class="form" id="log-in-again" onSubmit={logIn} aria-busy={isBusy}>
        <h2 id="session-end-heading">You were logged out</h2>
        <p>
          Log in again as <bdi>{who.email}</bdi> to continue. Your unsaved input is still here.
        </p>
        <PresentPassword
          id="password-again"
          label="Password"
          email={who.email}
          value={password}
          change={setPassword}
        />
        <Outcome error={error} done="" />
        <div class="buttons">
          <button type="submit" class="primary">
            Log in
          </button>
          <button type="button" class="second" onClick={() => void leave()}>
            Use another account
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** A refusal of this request is about the password, and not about a session. */
async function signIn(email: string, password: string): Promise<void> {
  await call({ method: "POST", path: "/auth/login", body: { email, password } });
}
