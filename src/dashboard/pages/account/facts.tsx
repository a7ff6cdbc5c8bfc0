import type { OwnAccount } from "../../data/account-answers";
import { countOf, localDate, planName } from "../../lib/words";
import { Card } from "../../ui/card";
import { Said } from "../../ui/said";

export const Facts = ({ account }: { readonly account: OwnAccount }) => (
  <Card title="Account">
    <dl class="facts">
      <dt>Name</dt>
      <dd>
        <Said id="account-title" text={account.name} />
      </dd>
      <dt>Your role</dt>
      <dd id="account-role">{account.role}</dd>
      <dt>Email</dt>
      <dd>
        <Said id="account-email" text={account.email} />
      </dd>
      <dt>Account ID</dt>
      <dd>
        <code id="account-id">{account.id}</code>
      </dd>
      <dt>Created</dt>
      <dd>{localDate(account.created_at)}</dd>
      <dt>Plan</dt>
      <dd id="account-plan">{planName(account)}</dd>
      <dt>This month</dt>
      <dd id="account-usage">
        {countOf(account.usage.events, "event")}, {countOf(account.usage.reads, "read")} by API
      </dd>
    </dl>
  </Card>
);
