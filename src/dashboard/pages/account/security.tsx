import { useState } from "preact/hooks";
import type { OwnAccount, TwoFactorAnswer, TwoFactorSetupAnswer } from "../../data/account-answers";
import { call } from "../../data/api";
import { prepare, useRead } from "../../data/reads";
import { localDate } from "../../lib/words";
import { lacksFactor, loadAccount } from "../../state/account";
import { Card } from "../../ui/card";
import { CopyBlock } from "../../ui/copy-block";
import { Check, Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { Outcome } from "../../ui/outcome";
import { PresentPassword } from "../../ui/present-password";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { SingleSignOn } from "./single-sign-on";

const state = { method: "GET", path: "/auth/two-factor" } as const;
const post = async <Answer,>(step: string, body: Readonly<Record<string, unknown>>) =>
  (await call<Answer>({ method: "POST", path: `/auth/two-factor/${step}`, body })).answer;
const reload = () => Promise.all([prepare(state, 0), loadAccount()]);

interface Props {
  readonly account: OwnAccount;
}

/** The second factor of the person, and for the owner whether all members need one. */
export function Security({ account }: Props) {
  const reading = useRead<TwoFactorAnswer>("The second factor", state);
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <Card title="Security" id="security-heading">
      {lacksFactor.value && (
        <p class="alert">This account requires a second factor. Turn yours on to use it.</p>
      )}
      {codes.length > 0 && <RecoveryCodes codes={codes} />}
      <When reading={reading} rows={2}>
        {(now) => (
          <>
            <p id="factor-state">{stateOf(now)}</p>
            {now.enabled ? (
              <TurnOff account={account} show={setCodes} />
            ) : (
              <TurnOn account={account} show={setCodes} />
            )}
            {account.role === "owner" && (now.enabled || now.required) && (
              <Requirement isOn={now.required} />
            )}
          </>
        )}
      </When>
      <SingleSignOn account={account} />
    </Card>
  );
}

const stateOf = ({ enabled, enabled_at = "", recovery_codes_left: left }: TwoFactorAnswer) =>
  enabled
    ? `Your second factor is on since ${localDate(enabled_at)}. ${left} recovery codes are left.`
    : "With a second factor, your password alone lets nobody in: an app on your phone shows a code that changes.";

interface StepProps extends Props {
  readonly show: (codes: readonly string[]) => void;
}

function TurnOn({ account, show }: StepProps) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [made, setMade] = useState<TwoFactorSetupAnswer | null>(null);
  const go = async () => {
    if (made === null) return setMade(await post("setup", { password }));
    const { recovery_codes } = await post<{ recovery_codes: string[] }>("enable", {
      code: code.trim(),
    });
    show(recovery_codes);
    await reload();
  };
  return (
    <Form
      id="factor-form"
      send={go}
      submit={made === null ? "Set up a second factor" : "Turn it on"}
    >
      {made === null ? (
        <PresentPassword
          id="factor-password"
          label="Password"
          email={account.user?.email ?? account.email}
          value={password}
          change={setPassword}
        />
      ) : (
        <>
          <p>Scan this with your authenticator app, or type the secret into it.</p>
          <div class="qr" role="img" aria-label="QR code" ref={(root) => draw(root, made.qr_svg)} />
          <CopyBlock id="factor-secret" text={made.secret} what="the secret" />
          <CodeField value={code} change={setCode} />
        </>
      )}
    </Form>
  );
}

function draw(root: HTMLDivElement | null, svg: string): void {
  const { documentElement } = new DOMParser().parseFromString(svg, "image/svg+xml");
  root?.replaceChildren(documentElement);
}

const CodeField = (props: { readonly value: string; readonly change: (code: string) => void }) => (
  <Field
    id="factor-code"
    label="Code of your app"
    autocomplete="one-time-code"
    maxLength={16}
    {...props}
  />
);

function TurnOff({ account, show }: StepProps) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const action = useAction();
  const send = (step: string) => async () => {
    const sent = { password, code: code.trim() };
    const { recovery_codes = [] } = await post<{ recovery_codes?: string[] }>(step, sent);
    show(recovery_codes);
    setCode("");
    await reload();
  };
  const off = () => action.run(send("disable"));
  return (
    <details>
      <summary>New recovery codes, or turn it off</summary>
      <Form
        id="factor-form"
        send={send("recovery-codes")}
        submit="New recovery codes"
        look="second"
        action={action}
        more={
          <button id="factor-off" type="button" class="danger" onClick={off}>
            Turn off
          </button>
        }
      >
        <PresentPassword
          id="factor-password"
          label="Password"
          email={account.user?.email ?? account.email}
          value={password}
          change={setPassword}
        />
        <CodeField value={code} change={setCode} />
      </Form>
    </details>
  );
}

const RecoveryCodes = ({ codes }: { readonly codes: readonly string[] }) => (
  <div id="recovery-codes" role="status">
    <p>
      Recovery codes: each logs you in once without your phone.{" "}
      <strong>They are shown only now.</strong>
    </p>
    <CopyBlock text={codes.join("\n")} what="the recovery codes" />
  </div>
);

function Requirement({ isOn }: { readonly isOn: boolean }) {
  const { error, run } = useAction();
  const change = (require_two_factor: boolean) =>
    run(async () => {
      await call({ method: "PATCH", path: "/account", body: { require_two_factor } });
      await reload();
    });
  return (
    <>
      <Check id="require-factor" label="All members need one" isOn={isOn} change={change} />
      <Outcome error={error} done="" />
    </>
  );
}
