import { type Billing, call } from "./api";
import { byId, onClick, say, show } from "./dom";
import { enter } from "./frame";

/** A webhook usually follows within seconds. */
const pollMs = 2_000;
const pollsMax = 60;
const checkoutTextMax = 4_000;

/** /account/billing, which is also where the payment provider sends people back to. */
export async function startBilling(): Promise<void> {
  const visitor = await enter();
  byId("account-email").textContent = visitor.email;
  const billing = await call<Billing>("GET", "/billing");
  showPlan(billing);
  show("plan");
  const outcome = new URLSearchParams(location.search).get("checkout");
  if (outcome === "canceled") tell("The payment was not made. Nothing has changed.");
  if (outcome === "done") await awaitPro(billing);
}

/** /account/billing/agent-upgrade: a program has printed the link. */
export async function startUpgrade(): Promise<void> {
  const visitor = await enter();
  const asked = new URLSearchParams(location.search);
  const account = asked.get("account") ?? "";
  if (account !== "" && account !== visitor.id) {
    byId("linked-account").textContent = account;
    byId("present-account").textContent = visitor.email;
    // Logged out, the page leads to the log-in and from there back here.
    onClick("change-account", "alert", async () => {
      await call("POST", "/auth/logout");
      location.reload();
    });
    return show("other-account");
  }
  byId("account-email").textContent = visitor.email;
  showText("reason", asked.get("reason"), ["reason-label", "reason"]);
  showText("command", asked.get("command"), ["command-label", "command-row"]);
  const billing = await call<Billing>("GET", "/billing");
  const [reason, command] = ["reason", "command"].map((name) => shortened(asked.get(name)));
  showUpgrade(billing, { reason, command });
  const isPro = billing.tier === "pro";
  if (isPro) tell("This account has Pro.");
  byId("afterwards").textContent = afterwards(asked.get("mode") === "wait", isPro);
  show("plan");
}

function afterwards(isWaiting: boolean, isPro: boolean): string {
  if (isWaiting) {
    return isPro
      ? "The program has noticed and goes on by itself."
      : "The program waits: it goes on by itself once the payment is confirmed.";
  }
  return isPro ? "Run the command again." : "Once the payment is confirmed, run the command again.";
}

function showPlan(billing: Billing): void {
  byId("plan-name").textContent = planName(billing);
  byId("payment-status").textContent = paymentStatus(billing);
  showUpgrade(billing, {});
}

function planName({ tier, complimentary }: Billing): string {
  if (complimentary) return "Pro, complimentary";
  return tier === "pro" ? "Pro" : "Free";
}

function paymentStatus({ status, current_period_end: end }: Billing): string {
  const until =
    end === null ? "" : new Date(end).toLocaleDateString(undefined, { timeZone: "UTC" });
  if (status === "active") return until === "" ? "Paid" : `Paid until ${until}`;
  if (status === "past_due") return "The last payment failed. The provider tries it again.";
  return status === "canceled" ? "Ended" : "None";
}

function showUpgrade(billing: Billing, asked: object): void {
  const isFree = billing.tier === "free";
  show("upgrade", isFree && billing.billing);
  show("no-payments", isFree && !billing.billing);
  onClick("upgrade", "alert", async () => {
    const { checkout_url: url } = await call<{ checkout_url: string | null }>(
      "POST",
      "/billing/checkout",
      asked,
    );
    // Null: Pro has come in the meantime.
    if (url === null) return location.reload();
    location.assign(url);
  });
}

/** Coming back proves nothing: the provider's own word to the server does. */
async function awaitPro(before: Billing): Promise<void> {
  show("upgrade", false);
  tell("Thank you. Waiting for the payment provider to confirm the payment…");
  let billing = before;
  for (let polls = 0; polls < pollsMax && billing.tier !== "pro"; polls += 1) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    billing = await call<Billing>("GET", "/billing").catch(() => billing);
  }
  const isPro = billing.tier === "pro";
  if (isPro) showPlan(billing);
  tell(
    isPro
      ? "This account has Pro. A program that waits goes on by itself."
      : "The payment is not confirmed yet. Reload this page later; you need not pay again.",
  );
}

function tell(text: string): void {
  say("done", text);
}

/** As much as the API takes. */
const shortened = (text: string | null): string | undefined => text?.slice(0, checkoutTextMax);

function showText(id: string, text: string | null, shown: readonly string[]): void {
  if (text === null || text.trim() === "") return;
  byId(id).textContent = text;
  for (const part of shown) show(part);
}
