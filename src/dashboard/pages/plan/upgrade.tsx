import type { Account, Billing } from "../../data/account-answers";
import { logOut } from "../../data/api";
import { useRead } from "../../data/reads";
import { account } from "../../state/account";
import { param } from "../../state/route";
import { Card } from "../../ui/card";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { billingRequest } from "./page";
import { UpgradeButton } from "./upgrade-button";

/** The most characters that the API takes. */
const checkoutTextMax = 4_000;

/** A program has printed the link that leads here. */
export function UpgradePage() {
  const own = account.value;
  const asked = param("account");
  if (own === null) return null;
  return asked !== "" && asked !== own.id ? (
    <OtherAccount asked={asked} own={own} />
  ) : (
    <Upgrade own={own} />
  );
}

/** Logged out, the page leads to the log-in and from there back here. */
const OtherAccount = ({ asked, own }: { readonly asked: string; readonly own: Account }) => (
  <Card title="This link is for another account">
    <div id="other-account">
      <p>
        This link is for another account: <code id="linked-account">{asked}</code>
      </p>
      <p>
        You are logged in as <Said id="present-account" text={own.email} />. Log in to that account
        to upgrade it.
      </p>
      <button
        id="change-account"
        type="button"
        class="second"
        onClick={() => void logOut().then(() => location.reload())}
      >
        Log in to another account
      </button>
    </div>
  </Card>
);

function Upgrade({ own }: { readonly own: Account }) {
  const reading = useRead<Billing>("The plan of the account", billingRequest);
  const [reason, command] = [param("reason"), param("command")];
  return (
    <Card title="A program needs Pro to read your numbers">
      <When reading={reading} rows={4}>
        {(billing) => (
          <div id="plan">
            {billing.tier === "pro" && (
              <p id="done" class="done" role="status">
                This account has Pro.
              </p>
            )}
            <dl class="facts">
              <dt>Account</dt>
              <dd>
                <Said id="account-email" text={own.email} />
              </dd>
              {reason.trim() !== "" && (
                <>
                  <dt>Reason</dt>
                  <dd>
                    <Said id="reason" text={reason} />
                  </dd>
                </>
              )}
              {command.trim() !== "" && (
                <>
                  <dt>Command</dt>
                  <dd>
                    <code id="command">{command}</code>
                  </dd>
                </>
              )}
            </dl>
            <p id="afterwards">{afterwards(param("mode") === "wait", billing.tier === "pro")}</p>
            <UpgradeButton billing={billing} asked={toldOf({ reason, command })} />
          </div>
        )}
      </When>
    </Card>
  );
}

const toldOf = (said: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(said)
      .filter(([, text]) => text !== "")
      .map(([name, text]) => [name, text.slice(0, checkoutTextMax)]),
  );

function afterwards(isWaiting: boolean, isPro: boolean): string {
  if (isWaiting) {
    return isPro
      ? "The program continues automatically."
      : "The program is waiting. It continues automatically when the payment is confirmed.";
  }
  return isPro ? "Run the command again." : "When the payment is confirmed, run the command again.";
}
