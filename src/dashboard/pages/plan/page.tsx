import { useEffect, useState } from "preact/hooks";
import type { Billing, MembersAnswer } from "../../data/account-answers";
import { prepare, useRead } from "../../data/reads";
import { exact } from "../../lib/format";
import { planName } from "../../lib/words";
import { account } from "../../state/account";
import { param } from "../../state/route";
import { Card } from "../../ui/card";
import { Said } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";
import { UpgradeButton } from "./upgrade-button";

/** The page of the account's plan, to which the payment provider sends people back, too. */
export const PlanPage = () =>
  account.value === null || account.value.role === "owner" ? <Plan /> : <OfOwner />;

/** Only the owner sees bills. */
const OfOwner = () => {
  const { members } = useRead<MembersAnswer>("Members", membersRequest).data ?? { members: [] };
  const owner = members.find(({ role }) => role === "owner")?.email;
  return (
    <Card about="plan" title="Plan">
      <p>
        This account has the plan {account.value === null ? "" : planName(account.value)}. Only its
        owner{owner === undefined ? "" : `, ${owner},`} sees the bills and changes the plan.
      </p>
    </Card>
  );
};

function Plan() {
  const reading = useRead<Billing>("The plan of the account", billingRequest);
  const said = useAfterCheckout(param("checkout"), reading.data);
  return (
    <div class="halves">
      <Card about="plan" title="Your plan">
        <p id="done" class={said === "" ? "visually-hidden" : "done"} role="status">
          {said}
        </p>
        <When reading={reading} rows={3}>
          {(billing) => (
            <div id="plan">
              <dl class="facts">
                <dt>Account</dt>
                <dd>
                  <Said id="account-email" text={account.value?.email ?? ""} />
                </dd>
                <dt>Plan</dt>
                <dd id="plan-name">{planName(billing)}</dd>
                <dt>Payment</dt>
                <dd id="payment-status">{paymentStatus(billing)}</dd>
              </dl>
              {param("checkout") !== "done" && <UpgradeButton billing={billing} asked={{}} />}
            </div>
          )}
        </When>
      </Card>
      <When reading={reading} rows={5}>
        {({ plans }) => <Plans plans={plans} />}
      </When>
    </div>
  );
}

const membersRequest = { method: "GET", path: "/members" } as const;
export const billingRequest = { method: "GET", path: "/billing" } as const;

/** A webhook usually follows within seconds. */
const pollMs = 2_000;
const pollsMax = 60;

/** Coming back proves nothing: the provider's own word to the server does. */
function useAfterCheckout(outcome: string, billing: Billing | undefined): string {
  const [polls, setPolls] = useState(0);
  const isPro = billing?.tier === "pro";
  const isWaiting = outcome === "done" && !isPro && polls < pollsMax;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => {
      void prepare(billingRequest, 0).then(() => setPolls(polls + 1));
    }, pollMs);
    return () => clearTimeout(timer);
  }, [isWaiting, polls]);
  if (outcome === "canceled") return "The payment was canceled. Nothing has changed.";
  if (outcome !== "done" || billing === undefined) return "";
  if (isPro) return "This account has Pro. A waiting program continues automatically.";
  return isWaiting
    ? "Thank you. Waiting for the payment provider to confirm the payment…"
    : "The payment is not confirmed yet. Reload this page later; you do not need to pay again.";
}

function paymentStatus({ status, current_period_end: end }: Billing): string {
  const until =
    end === null ? "" : new Date(end).toLocaleDateString(undefined, { timeZone: "UTC" });
  if (status === "active") return until === "" ? "Paid" : `Paid until ${until}`;
  if (status === "past_due") return "The last payment failed. The payment provider will try again.";
  return status === "canceled" ? "Ended" : "None";
}

const unlimited = -1;
const limitText = (limit: number): string => (limit === unlimited ? "unlimited" : exact(limit));

const rows = [
  ["Projects", "max_projects"],
  ["Events per month", "max_events_per_month"],
  ["Reads per month", "max_reads_per_month"],
  ["Requests per minute", "rate_limit_rpm"],
  ["Days of stored events", "retention_days"],
] as const;

const proAlone =
  "Only Pro has queries, funnels, paths, retention, sessions, pages, heatmaps, insights, live reads and " +
  "experiments.";

const Plans = ({ plans }: { readonly plans: Billing["plans"] }) => (
  <Card about="plan" title="Plans" note={proAlone}>
    <Scroll label="Free and Pro compared">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Feature</span>
            </th>
            <th scope="col" class="num">
              Free
            </th>
            <th scope="col" class="num">
              Pro
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, key]) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              <td class="num">{limitText(plans.free[key])}</td>
              <td class="num">{limitText(plans.pro[key])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </Card>
);
