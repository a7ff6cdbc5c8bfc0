/** The reasons for which this server writes to people. `X-Sightline-Kind` names them. */
export const mailKinds = [
  ...(["invitation", "reset", "security", "report", "alert"] as const),
  ...(["confirm", "operator", "test"] as const),
] as const;
export type MailKind = (typeof mailKinds)[number];

/** Somebody waits for these at a page, so they go before all others. */
export const isUrgent = (kind: MailKind): boolean => kind === "invitation" || kind === "reset";

export const mailStates = ["queued", "sent", "failed"] as const;
export type MailState = (typeof mailStates)[number];

/** The steps of a delivery; the one at which it failed says where to look. */
export type MailStage = "connect" | "tls" | "auth" | "from" | "to" | "data";

/** The stages that say that the mail server cannot be used at all, for any message. */
export const unusableStages: readonly MailStage[] = ["connect", "tls", "auth"];

/** A message as it is queued: everything but the headers, which each try writes. */
export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The page at which the recipient ends these messages; absent for messages that nobody subscribes to. */
  readonly unsubscribeUrl?: string;
}

/** The first letter and the domain, by which an administrator recognizes an address. */
export const maskedAddress = (address: string): string =>
  address.replace(/^(.).*(?=@)/su, (_, first: string) => `${first}…`);
