import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Account } from "../data/account-answers";
import { call, leave, Refusal, whenSessionEnds } from "../data/api";
import { account } from "../state/account";
import { Field } from "../ui/field";
import { Form, Second } from "../ui/form";
import { PresentPassword } from "../ui/present-password";

/** The requests that wait until the person is logged in again, or has confirmed an action. */
interface Waiting {
  readonly isConfirmation: boolean;
  readonly goOn: () => void;
  readonly giveUp: (why: Refusal) => void;
}
const waiting = signal<Waiting | null>(null);

/**
 * The session has ended, or an action needs a fresh sign-in: the person types the password on the same page, which
 * keeps the text that they wrote and then repeats its request. No password is stored for this.
 */
export function SessionEnd() {
  const who = account.value;
  useEffect(
    () =>
      whenSessionEnds(
        (isConfirmation) =>
          new Promise((goOn, giveUp) => {
            waiting.value = { isConfirmation, goOn, giveUp };
          }),
      ),
    [],
  );
  const { value } = waiting;
  return value === null || who === null ? null : <LogIn who={who} waiting={value} />;
}

function LogIn({
  who,
  waiting: { isConfirmation, goOn, giveUp },
}: {
  readonly who: Account & { readonly two_factor: boolean };
  readonly waiting: Waiting;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  /** The password was right, and this token brings the code. */
  const [token, setToken] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const needsCode = isConfirmation ? who.two_factor : token !== "";
  const send = async () => {
    if (isConfirmation) {
      await ask("confirm", { password, ...(needsCode && { code: code.trim() }) });
    } else if (needsCode) await ask("login/second", { login_token: token, ...codeIn(code) });
    else await ask("login", { email: who.email, password });
  };
  const logIn = async () => {
    try {
      await send();
    } catch (failure) {
      const next = tokenIn(failure);
      if (next !== null) setToken(next);
      if (next) return;
      throw failure;
    }
    waiting.value = null;
    goOn();
  };
  const close = () => {
    waiting.value = null;
    giveUp(
      isConfirmation
        ? new Refusal(403, "CONFIRM_REQUIRED", "You did not confirm it. Nothing was changed.")
        : new Refusal(401, "AUTH_REQUIRED", "You are logged out. Log in and try again."),
    );
  };
  return (
    <dialog
      id="session-end"
      class="question"
      ref={dialog}
      aria-labelledby="session-end-heading"
      onClose={close}
    >
      <Form
        id="log-in-again"
        send={logIn}
        submit={isConfirmation ? "Confirm" : "Log in"}
        more={
          isConfirmation ? (
            <Second press={() => dialog.current?.close()} />
          ) : (
            <Second text="Use another account" press={() => void leave()} />
          )
        }
      >
        <Why isConfirmation={isConfirmation} email={who.email} />
        <PresentPassword
          id="password-again"
          label="Password"
          email={who.email}
          value={password}
          change={setPassword}
        />
        {needsCode && (
          <Field
            id="code-again"
            label="Code of your app"
            autocomplete="one-time-code"
            maxLength={32}
            value={code}
            change={setCode}
          />
        )}
      </Form>
    </dialog>
  );
}

const Why = (asked: { readonly isConfirmation: boolean; readonly email: string }) =>
  asked.isConfirmation ? (
    <>
      <h2 id="session-end-heading">Confirm that it is you</h2>
      <p>This action needs your password again. Then it goes on.</p>
    </>
  ) : (
    <>
      <h2 id="session-end-heading">You were logged out</h2>
      <p>
        Log in again as <bdi>{asked.email}</bdi> to continue. Your unsaved input is still here.
      </p>
    </>
  );

/** Six digits are a code of the app, everything else a recovery code. */
const codeIn = (typed: string) =>
  /^\d{6}$/.test(typed.trim()) ? { code: typed.trim() } : { recovery_code: typed.trim() };

/** The token after a right password; empty when the log-in has to start again, null while a code can be typed again. */
function tokenIn(failure: unknown): string | null {
  if (!(failure instanceof Refusal) || failure.code === "INVALID_CODE") return null;
  return failure.code === "SECOND_FACTOR_REQUIRED" ? String(failure.more.login_token) : "";
}

/** A refusal of these requests is about the password, and not about a session. */
async function ask(path: string, body: Readonly<Record<string, unknown>>): Promise<void> {
  await call({ method: "POST", path: `/auth/${path}`, body });
}
