/** The places of flagged texts. `property_key` is the name of a property, `properties` a text in the value of one. */
export const trustFields = [
  "event",
  "property_key",
  "properties",
  "session_id",
  "user_id",
  "traits",
] as const;
export type TrustField = (typeof trustFields)[number];

export const digestChars = 12;
export const digestPattern = `^[0-9a-f]{${digestChars}}$`;
