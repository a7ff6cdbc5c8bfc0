import { type TierLimits, tierLimits, unlimited } from "../../domain/plan";
import { framedPage } from "../../http/pages/frame";
import { shownPage } from "../../http/pages/page";
import { withSeparators } from "../../lib/text";

/**
 * Where a person sees the plan and pays. The documents are the same for everybody: who is there, and what the address
 * says, the pages' script puts in, as text.
 */
export const billingPages = () => [
  shownPage("/account/billing", billingPage),
  shownPage("/account/billing/agent-upgrade", upgradePage),
];

const asWords = (limit: number): string =>
  limit === unlimited ? "unlimited" : withSeparators(limit);

const row = (label: string, key: keyof TierLimits): string =>
  `<tr><th scope="row">${label}</th><td>${asWords(tierLimits.free[key])}</td>` +
  `<td>${asWords(tierLimits.pro[key])}</td></tr>`;

const plans = `<div class="scroll"><table class="plans">
<caption>What the plans have</caption>
<thead><tr><td></td><th scope="col">Free</th><th scope="col">Pro</th></tr></thead>
<tbody>
${row("Projects", "max_projects")}
${row("Events a month", "max_events_per_month")}
${row("Reads a month", "max_reads_per_month")}
${row("Requests a minute", "rate_limit_rpm")}
${row("Days that events are kept", "retention_days")}
</tbody></table></div>
<p>Pro alone has queries, funnels, paths, retention, sessions, pages, heatmaps, insights, live reads and
experiments.</p>`;

const upgradeButton = `<p><button id="upgrade" type="button" hidden>Upgrade to Pro</button></p>
<p id="no-payments" hidden>This server takes no payments. Its administrator can give an account Pro.</p>`;

const billingPage = framedPage({
  name: "billing",
  title: "Plan and payment",
  path: "/account/billing",
  main: `<div id="plan" hidden>
<section aria-labelledby="plan-heading">
<h2 id="plan-heading">Your plan</h2>
<dl>
<dt>Account</dt><dd id="account-email"></dd>
<dt>Plan</dt><dd id="plan-name"></dd>
<dt>Payment</dt><dd id="payment-status"></dd>
</dl>
${upgradeButton}
</section>
<section>
${plans}
</section>
</div>`,
});

const upgradePage = framedPage({
  name: "upgrade",
  title: "Upgrade to Pro",
  path: "/account/billing/agent-upgrade",
  main: `<section id="other-account" hidden>
<p>This link is for another account: <code id="linked-account"></code>.</p>
<p>You are logged in as <bdi id="present-account"></bdi>. To pay for that account, log in to it.</p>
<p><button id="change-account" type="button" class="quiet">Log in to another account</button></p>
</section>
<section id="plan" hidden>
<p>A program that reads your numbers asks for Pro.</p>
<dl>
<dt>Account</dt><dd id="account-email"></dd>
<dt id="reason-label" hidden>Reason</dt><dd id="reason" hidden></dd>
<dt id="command-label" hidden>Command</dt><dd id="command-row" hidden><code id="command"></code></dd>
</dl>
<p id="afterwards"></p>
${upgradeButton}
</section>`,
});
