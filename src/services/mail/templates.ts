import { type Block, letterOf, link, ownerText, paragraph } from "../../domain/mail/letter";
import type { Letter } from "../../domain/mail/message";

/** The facts about this server that every message needs. */
export interface Sender {
  /** PUBLIC_URL, with which every link begins. */
  readonly url: string;
}

const hostOf = ({ url }: Sender): string => new URL(url).host;

const footerOf = (sender: Sender): readonly Block[] => [
  paragraph(`Sightline on ${hostOf(sender)} sent this message automatically.`),
];

/** Changes of an account of which its person gets a message, in the words of the subject. */
const accountChanges = {
  password: "the password was changed",
  email: "the email address was changed",
  key: "an API key was made",
  ownership: "its ownership was transferred",
  two_factor_on: "the second factor was turned on",
  two_factor_off: "the second factor was turned off",
  recovery_code: "somebody logged in with a recovery code",
  locked: "100 wrong codes of the second factor came today, so no code is taken until 00:00 UTC",
} as const;
export type AccountChange = keyof typeof accountChanges;

export function securityLetter(sender: Sender, change: AccountChange): Letter {
  const host = hostOf(sender);
  const what = accountChanges[change];
  return letterOf(
    `Your account on ${host}: ${what}`,
    [
      paragraph(`On your account at ${host}, ${what}.`),
      paragraph(
        "If that was you, you need not do anything. If it was not, set a new password at once, replace the API key, " +
          "and tell the administrator of the server.",
      ),
      link("Log in", `${sender.url}/login`),
    ],
    footerOf(sender),
  );
}

export function webhookOffLetter(sender: Sender, name: string): Letter {
  const host = hostOf(sender);
  return letterOf(
    `Sightline on ${host}: a webhook was switched off`,
    [
      paragraph(
        `The webhook "${ownerText(name)}" was switched off: nothing could be delivered to it for five days, or its ` +
          "receiver said that it is gone.",
      ),
      paragraph("Correct its receiver, then switch it on again with PATCH /webhooks/{id}."),
      link("Open Sightline", `${sender.url}/app`),
    ],
    footerOf(sender),
  );
}

/** A message to the operator about a condition of the server. */
export function conditionLetter(
  sender: Sender,
  about: { readonly title: string; readonly sentence: string; readonly path: string },
): Letter {
  return letterOf(
    `Sightline on ${hostOf(sender)}: ${about.title}`,
    [
      paragraph(about.sentence),
      paragraph("There is no second message about this while it lasts."),
      link("Open the administration", sender.url + about.path),
    ],
    footerOf(sender),
  );
}

export function resetLetter(sender: Sender, url: string, minutes: number): Letter {
  const host = hostOf(sender);
  return letterOf(
    `A new password for ${host}`,
    [
      paragraph(`Somebody asked for a new password for your log-in at ${host}.`),
      paragraph(
        `The link works once, for ${minutes} minutes. If you did not ask for it, ignore this message: your password ` +
          "stays as it is.",
      ),
      link("Set a new password", url),
    ],
    footerOf(sender),
  );
}

export function budgetLetter(
  sender: Sender,
  about: {
    readonly project: string;
    readonly what: "events" | "bytes";
    readonly percent: number;
    readonly whenOver: "refuse" | "forget_oldest";
  },
): Letter {
  const { what, percent, whenOver } = about;
  const project = ownerText(about.project);
  const effect =
    whenOver === "refuse"
      ? "At 100% the server refuses events of the project."
      : "Above 100% the server deletes its oldest dates at 03:00 UTC, never the last 7.";
  return letterOf(
    `Sightline on ${hostOf(sender)}: ${project} has used ${percent}% of its budget of ${what}`,
    [
      paragraph(`The project ${project} has used ${percent}% of its budget of ${what}. ${effect}`),
      paragraph("An administrator of the account can change the budget with PATCH /projects/{id}."),
      link("Open Sightline", `${sender.url}/app`),
    ],
    footerOf(sender),
  );
}

/** The facts of an invitation that the invited person reads. */
export interface InvitationFacts {
  readonly inviter: string;
  readonly account: string;
  /** The link that works once. */
  readonly url: string;
  readonly days: number;
}

export function invitationLetter(sender: Sender, facts: InvitationFacts): Letter {
  const { inviter, url, days } = facts;
  const account = ownerText(facts.account);
  return letterOf(
    `${inviter} invites you to ${account}`,
    [
      paragraph(
        `${inviter} invites you to the account ${account} of Sightline on ${hostOf(sender)}.`,
      ),
      paragraph(
        `The link works once, for ${days} days. If you did not expect it, ignore this message.`,
      ),
      link("Accept the invitation", url),
    ],
    footerOf(sender),
  );
}

interface AlertAbout {
  readonly subject: string;
  /** The name of the alert. */
  readonly name: string;
  readonly sentence: string;
  readonly path: string;
  readonly unsubscribePath: string;
}

export function alertLetter(sender: Sender, about: AlertAbout): Letter {
  const unsubscribeUrl = sender.url + about.unsubscribePath;
  const letter = letterOf(
    about.subject,
    [
      paragraph(about.sentence),
      paragraph(`The alert "${ownerText(about.name)}" sent this message.`),
      link("Open the dashboard", sender.url + about.path),
    ],
    [...footerOf(sender), link("End these messages", unsubscribeUrl)],
  );
  return { ...letter, unsubscribeUrl };
}

/** Takes the place of the alert mails beyond ten in a day. */
export const heldBackLetter = (sender: Sender, messages: number): Letter =>
  letterOf(
    messages === 1 ? "1 more alert" : `${messages} more alerts`,
    [
      paragraph(
        `Your alerts sent ten messages in a day. ${messages} more were held back; the alerts themselves show each.`,
      ),
      link("Open the dashboard", `${sender.url}/app`),
    ],
    footerOf(sender),
  );

export function testLetter(sender: Sender): Letter {
  const host = hostOf(sender);
  return letterOf(
    `Test from ${host}`,
    [
      paragraph(`This is a test. The mail settings of Sightline on ${host} work.`),
      link("Open Sightline", sender.url),
    ],
    footerOf(sender),
  );
}
