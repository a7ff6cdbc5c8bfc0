import { isSessionField, type SessionField } from "./session-field";

/** The field of sessions that tells whether a session is the earliest one of its user. */
export const sessionVisitor = "session.visitor";

/**
 * Fields of the event's user, whose values are those of the user's earliest stored session (definitions.md, Sessions).
 * All but the date are fields of sessions.
 */
type FieldOfFirst = Exclude<SessionField, typeof sessionVisitor>;
const firstFields = {
  "user.first_source": "session.source",
  "user.first_channel": "session.channel",
  "user.first_referrer": "session.referrer",
  "user.first_utm_source": "session.utm_source",
  "user.first_utm_medium": "session.utm_medium",
  "user.first_utm_campaign": "session.utm_campaign",
  "user.first_entry_page": "session.entry_page",
  "user.first_country": "session.country",
  "user.first_device": "session.device",
} as const satisfies Record<string, FieldOfFirst>;
export const firstDate = "user.first_date";

type FirstField = keyof typeof firstFields;
export type UserField = FirstField | typeof firstDate;
export type VisitorField = UserField | typeof sessionVisitor;

const isFirstField = (name: string): name is FirstField => Object.hasOwn(firstFields, name);
export const isUserField = (name: string): name is UserField =>
  name === firstDate || isFirstField(name);
/** Tells whether the value of a field depends on all stored sessions of a project. */
export const isVisitorField = (name: string): name is VisitorField =>
  name === sessionVisitor || isUserField(name);
/** Tells whether a field is one of the session, or of the first session of the user. */
export const isOfSessions = (name: string): name is SessionField | UserField =>
  isSessionField(name) || isUserField(name);

export const userFields: readonly UserField[] = [
  ...Object.keys(firstFields).filter(isFirstField),
  firstDate,
];
export const visitorFields: readonly VisitorField[] = [sessionVisitor, ...userFields];

/** Returns the field of the first session that a field of users is; null for its date. */
export const firstSessionField = (field: UserField): FieldOfFirst | null =>
  field === firstDate ? null : firstFields[field];

/** Returns the field of sessions by whose rules the values of a field compare; the field itself where it is another. */
export const comparedLike = (field: string): string =>
  isFirstField(field) ? firstFields[field] : field;

/** Returns the field that a word without its prefix most likely means. */
export const visitorFieldMeant = (name: string): VisitorField | null =>
  visitorFields.find((field) => field.slice(field.indexOf(".") + 1) === name.toLowerCase()) ?? null;
