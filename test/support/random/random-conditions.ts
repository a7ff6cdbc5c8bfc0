import { type Condition, filterOps } from "../../../src/domain/filter";
import { sessionFields } from "../../../src/domain/session-field";
import { isOfSessions, userFields, visitorFields } from "../../../src/domain/visitor-field";
import { type Cast, dayMs } from "../world/cast";
import type { Random } from "./random";
import { sessionTexts } from "./random-sources";

const propertyFields = ["plan", "n", "path", "deep", "absent", "__proto__", "10"].map(
  (key) => `properties.${key}` as const,
);
const propertyTexts = [
  ...["v1", "7", "12.5", "true", "/", "ü", "[1", "ab", "", "1e300", "1e999", "nul\0", "\ud800"],
  '{"b":1,"a":[1,{"ü":"😀\\n"}],"\\u0000":null,"\\ud800":"\\udfff"}',
];

const plainFields = ["event", "user_id", "date", "country", "session_id", "timestamp"] as const;

/** The fields of an event itself. */
export const ownFields: readonly Condition["field"][] = [...plainFields, ...propertyFields];

/** All that a condition can be on. */
export const conditionFields = [
  ...[...plainFields, ...propertyFields],
  ...[...sessionFields, ...userFields],
];

/** Properties are more often asked about. */
const fieldsByChance: readonly Condition["field"][] = [
  ...[...plainFields, ...propertyFields],
  ...[...propertyFields, ...sessionFields, ...visitorFields],
];

export const randomCondition = (random: Random, cast: Cast): Condition =>
  conditionOn(random.pick(fieldsByChance), null, random, cast);

/** Draws a condition, with any operator if none is given. */
export function conditionOn(
  field: Condition["field"],
  given: Condition["op"] | null,
  { below, pick }: Random,
  cast: Cast,
): Condition {
  const texts: Partial<Record<Condition["field"], readonly string[]>> = {
    event: cast.names,
    user_id: cast.users,
    session_id: cast.sessions,
    date: [new Date((cast.today - below(40)) * dayMs).toISOString().slice(0, 10), "2026-09"],
    country: ["DE", "us", "F"],
    timestamp: [String(cast.today * dayMs - below(30 * dayMs))],
    "session.visitor": ["new", "returning", "old"],
    "user.first_date": [new Date((cast.today - below(40)) * dayMs).toISOString().slice(0, 10)],
  };
  const values = texts[field] ?? (isOfSessions(field) ? sessionTexts : propertyTexts);
  const op = given ?? pick(filterOps);
  if (op === "is_null" || op === "not_null") return { field, op, value: "" };
  if (op !== "in" && op !== "not_in") return { field, op, value: pick(values) };
  return { field, op, value: Array.from({ length: below(4) }, () => pick(values)) };
}
