import type { Control } from "../../store/control/control";
import { membersWhoAdminister } from "../../store/control/people";
import type { WebhookRow } from "../../store/control/webhook-tables";
import type { Mail } from "../mail/mail";
import { webhookOffLetter } from "../mail/templates";

/** Queues a message to those who may change a webhook that was switched off, in the commit that did it. */
export function tellOfWebhook(
  { control, mail }: { readonly control: Control; readonly mail: Mail },
  { accountId, name }: WebhookRow,
): void {
  for (const { email } of membersWhoAdminister(control, accountId)) {
    mail.queue("operator", email, (sender) => webhookOffLetter(sender, name));
  }
}
