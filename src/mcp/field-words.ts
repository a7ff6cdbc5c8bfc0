import { comparedWords } from "../domain/comparison";
import { filterOps } from "../domain/filter";
import { metricNames, namedGroups, propertyMeasures } from "../domain/metric";

/** Fields of sessions share what stands before the dot, and fields of first sessions what stands before the `_`. */
const groupWords = (): string => {
  const prefixes = ["session.", "user.first_"];
  const own = namedGroups.filter((name) => !prefixes.some((prefix) => name.startsWith(prefix)));
  const shared = prefixes.map((prefix) => {
    const names = namedGroups.filter((name) => name.startsWith(prefix));
    return `${prefix}{${names.map((name) => name.slice(prefix.length)).join(",")}}`;
  });
  return [...own, ...shared].join(", ");
};

/**
 * The words of fields that an agent cannot guess and that the schema says at greater length: who reads a list of tools
 * has no document beside it. By name, or by tool and name where tools differ.
 */
const words: Readonly<Record<string, string>> = {
  "query.metrics":
    `${metricNames.join(", ")}; ${propertyMeasures.map((one) => `${one}:`).join(", ")} + properties.<key>. ` +
    "unique_users: of user_id; bounce_rate: sessions with passive events alone, like page_view; avg_duration: ms.",
  "query.group_by": `Up to 4 of ${groupWords()}, properties.<key>.`,
  "query.filters":
    "All must match: {field, op, value}, {any: [items]}, {did: event, filters?, since?}, {session_did: event " +
    "or {goal: name}, filters?}, did_not, session_did_not. did: the user, in the window or from since; session_did: " +
    "the session, at any time. field: event, timestamp, or one of group_by; op: " +
    `${filterOps.join(", ")}.`,
  "query.goal": "{goal: name}, or {event or page, filters?, once_per?: key, value?: {property}}.",
  "query.goals": "One row per goal.",
  "query.once_per": "properties.<key>: of each value only the earliest event counts.",
  "query.compare": `${comparedWords.join(", ")}, or other dates.`,
  "query.count_mode":
    "For event_count. session_then_user: each session, and each user without one, once; raw: every event.",
  "query.queries": "Up to 20 at once.",
  "paths.goal_event": "An event, or {goal: name}.",
  "paths.candidate_session_cap": "Only the newest sessions.",
  "retention.cohorts": "Number of periods.",
  "retention.breakdown": "country, or a field such as user.first_source.",
  "breakdown.property": "A property key, or country.",
  "funnel.breakdown": "A property key, country, or a field such as user.first_source.",
  "funnel.steps": "2 to 8 steps: each an event, {event, filters?}, or {goal: name}.",
  "live.window": "Seconds to look back.",
};

export const wordsOf = (tool: string, field: string): string | undefined =>
  words[`${tool}.${field}`] ?? words[field];
