import type { webhookEventsOfMembers } from "../../domain/webhook/events";
import type { Control } from "../../store/control/control";
import { nameOfAccount } from "../../store/control/invitations";
import type { Webhooks } from "./webhooks";

/** A person, as webhooks know one. */
interface Named {
  readonly id: string;
  readonly email: string;
}
interface Happened {
  readonly event: (typeof webhookEventsOfMembers)[number];
  readonly accountId: string;
  readonly member: Named & { readonly role: string };
  readonly by: Named;
}

const words = {
  "member.joined": "joined",
  "member.removed": "left",
  "ownership.transferred": "now owns",
} as const;

/** Queues a message to the webhooks of an account about its members, in the commit that changed them. */
export function tellOfMember(
  { control, webhooks }: { readonly control: Control; readonly webhooks: Webhooks },
  { event, accountId, member, by }: Happened,
): void {
  const name = nameOfAccount(control, accountId);
  const lines = [`${member.email} ${words[event]} the account ${name}.`];
  const data = { account: { id: accountId, name }, member, by };
  webhooks.queue(accountId, null, event, data, { lines, path: "/app/settings" });
}
