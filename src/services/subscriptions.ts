import type { Actor } from "../domain/audit";
import { ApiError } from "../domain/errors";
import { letterOf, link, ownerText, paragraph } from "../domain/mail/letter";
import type { Letter } from "../domain/mail/message";
import { confirmationsPerHourMax, confirmMsMax, isWebhookId } from "../domain/subscription";
import { clock, dayMs, hourMs, secondMs } from "../lib/clock";
import { countedSince, note } from "../store/control/audit";
import type { Control } from "../store/control/control";
import { subscriptionState } from "../store/control/subscriptions";
import type { ProjectRow } from "../store/control/tables";
import type { Mail } from "./mail/mail";
import type { Sender } from "./mail/templates";

interface Parts {
  readonly control: Control;
  readonly mail: Mail;
}

/** An alert or a report, as a message to an outsider names it. */
export interface Subject {
  readonly id: string;
  /** "weekly report", "alert Orders". */
  readonly what: string;
  readonly project: ProjectRow;
}

/** Somebody who gets a message now. */
export type Recipient =
  | { readonly kind: "webhook"; readonly id: string }
  | { readonly kind: "mail"; readonly email: string; readonly unsubscribePath: string };

const askedActions = ["alert_address_asked", "report_address_asked"] as const;

/**
 * Replaces the targets of an alert or a report, and queues a mail to each outsider who has not confirmed yet. Runs
 * within the transaction of the change. Throws MAIL_NOT_CONFIGURED and RATE_LIMITED, where an outsider is to be asked.
 */
export function subscribe(
  { control, mail }: Parts,
  { id, what, project }: Subject,
  to: readonly string[],
  actor: Actor,
): void {
  for (const { address, token } of control.subscriptions.replace(project.id, id, to)) {
    if (!mail.isOn) throw mailIsOff();
    refuseTooMany(control, project.accountId);
    mail.queue("confirm", address, (sender) =>
      confirmLetter(sender, {
        ...{ what, project: project.name, path: `/confirm/${token}` },
        by: actor.email,
      }),
    );
    note(control, {
      ...{ accountId: project.accountId, projectId: project.id, actor },
      action: id.startsWith("rep_") ? "report_address_asked" : "alert_address_asked",
      target: { type: id.startsWith("rep_") ? "report" : "alert", id },
      details: { to: address },
    });
  }
}

function refuseTooMany(control: Control, accountId: string): void {
  const sinceMs = clock.nowMs() - hourMs + 1;
  const asked = askedActions.reduce(
    (sum, action) => sum + countedSince(control, accountId, action, sinceMs),
    0,
  );
  if (asked < confirmationsPerHourMax) return;
  throw new ApiError(
    "RATE_LIMITED",
    `An account can ask ${confirmationsPerHourMax} outsiders an hour to confirm. Try again later.`,
    { reason: "rate_limit", retry_after_seconds: hourMs / secondMs },
  );
}

export const mailIsOff = (): ApiError =>
  new ApiError(
    "MAIL_NOT_CONFIGURED",
    "This server sends no mail. Use a webhook, or ask its administrator to set up mail.",
  );

/** Returns the active targets. Members who may not see the project any more get nothing. */
export function recipientsOf(
  { subscriptions }: Control,
  project: ProjectRow,
  subject: string,
): readonly Recipient[] {
  return subscriptions.of(subject).flatMap((row): readonly Recipient[] => {
    const { target } = row;
    if (subscriptionState(row) !== "active") return [];
    if (isWebhookId(target)) return [{ kind: "webhook", id: target }];
    const isMember = target.startsWith("usr_");
    const email = isMember ? subscriptions.memberWhoSees(project, target)?.email : target;
    if (email === undefined) return [];
    const unsubscribePath = `/unsubscribe/${subscriptions.tokenOf(subject, target)}`;
    return [{ kind: "mail", email, unsubscribePath }];
  });
}

interface ConfirmFacts {
  readonly what: string;
  readonly project: string;
  readonly path: string;
  /** The address of the person who asks; null for the command line. */
  readonly by: string | null;
}

function confirmLetter(sender: Sender, { what, project, path, by }: ConfirmFacts): Letter {
  const { host } = new URL(sender.url);
  const about = `${ownerText(what)} of ${ownerText(project)}`;
  return letterOf(
    `Confirm: ${about}`,
    [
      paragraph(`${by ?? "Somebody"} wants to send you the ${about} from Sightline on ${host}.`),
      paragraph(
        `Confirm within ${confirmMsMax / dayMs} days, or ignore this message: you get nothing else then.`,
      ),
      link("Get these messages", sender.url + path),
    ],
    [paragraph(`Sightline on ${host} sent this message automatically.`)],
  );
}
