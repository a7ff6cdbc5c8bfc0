import type { Billing } from "../../data/account-answers";
import { call } from "../../data/api";
import { Outcome } from "../../ui/outcome";
import { useAction } from "../../ui/use-action";

interface UpgradeButtonProps {
  readonly billing: Billing;
  /** The reason for which a program said that it wants Pro. */
  readonly asked: Readonly<Record<string, string>>;
}

/** Leads to the payment provider; where nobody can pay, says who else can help. */
export function UpgradeButton({ billing, asked }: UpgradeButtonProps) {
  const { error, isBusy, run } = useAction();
  if (billing.tier !== "free") return null;
  if (!billing.billing) {
    return (
      <p id="no-payments">
        This server does not take payments. Ask its administrator to give your account Pro.
      </p>
    );
  }
  const begin = () =>
    run(async () => {
      const { answer } = await call<{ checkout_url: string | null }>({
        method: "POST",
        path: "/billing/checkout",
        body: asked,
      });
      // A checkout without an address means that the account has Pro meanwhile.
      if (answer.checkout_url === null) return location.reload();
      location.assign(answer.checkout_url);
    });
  return (
    <>
      <button id="upgrade" type="button" class="primary" disabled={isBusy} onClick={begin}>
        Upgrade to Pro
      </button>
      <Outcome error={error} done="" />
    </>
  );
}
