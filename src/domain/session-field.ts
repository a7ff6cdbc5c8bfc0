/**
 * Fields that a session has one value of, and an event has from its session (definitions.md, Sessions). The value is
 * that of the session's earliest event that has one; pages, sources and channels are told from several events.
 */
export const sessionFields = [
  "session.entry_page",
  "session.exit_page",
  "session.utm_source",
  "session.utm_medium",
  "session.utm_campaign",
  "session.utm_content",
  "session.utm_term",
  "session.referrer",
  "session.source",
  "session.channel",
  "session.device",
  "session.browser",
  "session.os",
  "session.language",
  "session.country",
  "session.visitor",
] as const;
export type SessionField = (typeof sessionFields)[number];

export const isSessionField = (name: string): name is SessionField =>
  sessionFields.some((field) => field === name);

/** Words that pages do not send as properties: who asks for one without a prefix most likely means that of sessions. */
const ofSessionsAlone = ["entry_page", "exit_page", "source", "channel"] as const;

export function sessionFieldMeant(name: string): SessionField | null {
  const found = ofSessionsAlone.find((one) => one === name.toLowerCase());
  return found === undefined ? null : `session.${found}`;
}
