import {
  type AlertNumbers,
  alertSubject,
  firingWords,
  resolvedWords,
} from "../../domain/alerts/words";
import { clock } from "../../lib/clock";
import type { AlertRow } from "../../store/control/alert-tables";
import type { Control } from "../../store/control/control";
import type { ProjectRow } from "../../store/control/tables";
import type { Mail } from "../mail/mail";
import { alertLetter, heldBackLetter } from "../mail/templates";
import { recipientsOf } from "../subscriptions";
import type { Webhooks } from "../webhooks/webhooks";

export interface AlertSenders {
  readonly control: Control;
  readonly mail: Mail;
  readonly webhooks: Webhooks;
}

export type AlertOccasion =
  | { readonly kind: "firing" | "resolved"; readonly numbers: AlertNumbers }
  | { readonly kind: "test" };

const mailsInDayMax = 10;

/** Queues what an alert says to each of its targets. Runs within the transaction of its state. */
export function tellOfAlert(
  senders: AlertSenders,
  project: ProjectRow,
  alert: AlertRow,
  occasion: AlertOccasion,
): void {
  const words = wordsOf(alert, occasion);
  const path = `/app/p/${encodeURIComponent(project.name)}`;
  for (const recipient of recipientsOf(senders.control, project, alert.id)) {
    if (recipient.kind === "webhook") {
      const lines = [`${alertSubject(project.name, words)} (${alert.name})`, words.sentence];
      const data = dataOf(project, alert, occasion, senders.mail.sender.url + path);
      senders.webhooks.queueTo(recipient.id, typeOf(alert, occasion), data, { lines, path });
    } else {
      mailTo(senders, recipient.email, occasion, {
        subject: alertSubject(project.name, words),
        ...{ name: alert.name, sentence: words.sentence, path },
        unsubscribePath: recipient.unsubscribePath,
      });
    }
  }
}

function wordsOf({ spec }: AlertRow, occasion: AlertOccasion) {
  if (occasion.kind === "firing") return firingWords(spec, occasion.numbers);
  if (occasion.kind === "resolved") return resolvedWords();
  return { what: "test of an alert", sentence: "This is a test. Nothing has happened." };
}

const typeOf = ({ spec }: AlertRow, { kind }: AlertOccasion) =>
  kind === "resolved"
    ? ("alert.resolved" as const)
    : spec.kind === "goal" && kind === "firing"
      ? ("goal.reached" as const)
      : ("alert.firing" as const);

function dataOf(project: ProjectRow, alert: AlertRow, occasion: AlertOccasion, url: string) {
  const { id, name, spec, sinceMs } = alert;
  return {
    alert: { id, name, kind: spec.kind },
    project: { id: project.id, name: project.name },
    ...(spec.kind === "goal" && { event: spec.event }),
    ...(occasion.kind === "test" ? { test: true } : occasion.numbers),
    since: new Date(sinceMs).toISOString(),
    url,
  };
}

interface AlertMail {
  readonly subject: string;
  readonly name: string;
  readonly sentence: string;
  readonly path: string;
  readonly unsubscribePath: string;
}

/** The eleventh mail to a person in a day is held back, and counted. */
function mailTo(
  { control, mail }: AlertSenders,
  email: string,
  { kind }: AlertOccasion,
  about: AlertMail,
): void {
  if (!mail.isOn) return;
  const isFull = control.alerts.mailsInDay(email, clock.nowMs()) >= mailsInDayMax;
  if (isFull && kind !== "test") control.alerts.holdBack(email);
  else mail.queue("alert", email, (sender) => alertLetter(sender, about));
}

/** Tells people how many alerts were held back, once they may get mail again. */
export function tellOfHeldBack({ control, mail }: AlertSenders, nowMs: number): void {
  for (const { recipient, messages } of control.alerts.heldBack()) {
    if (control.alerts.mailsInDay(recipient, nowMs) >= mailsInDayMax) continue;
    control.write(() => {
      control.alerts.forgetHeld(recipient);
      mail.queue("alert", recipient, (sender) => heldBackLetter(sender, messages));
    });
  }
}
