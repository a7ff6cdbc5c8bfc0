import { gated, gateOf } from "../../../domain/trust/gates";

/** One text from all that rules of trust need; a text in which none of it stands is not fetched. */
const gates = gated.map((category) => gateOf(category).source).join("|");
const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Of a text that gives orders in characters of one byte; all others are looked at, as they may hide something. */
const orderBytesMin = 12;

/**
 * False of most stored values in which rules flag nothing, and of none in which they flag something. Lists and objects
 * are looked at when there is a text in them.
 */
const mayBeFlagged = (value: string): string => `multiIf(
    startsWith(${value}, '\\xFF'), length(${value}) > 3 and position(${value}, '"') > 0,
    match(${value}, '[^\\\\x20-\\\\x7e]'), 1,
    length(${value}) >= ${orderBytesMin}
      and match(replaceRegexpAll(lower(trimBoth(${value})), ' +', ' '), ${quoted(gates)}))`;

/** Each value of a visitor in events, where it stood, and when. */
export const visitorValues = (events: string): string => `(
    select 'event' as field, '' as key, toString(name) as value, time from ${events} where ${mayBeFlagged("value")}
    union all
    select 'session_id' as field, '' as key, session_id as value, time from ${events} where ${mayBeFlagged("value")}
    union all
    select 'user_id' as field, '' as key, user as value, time from ${events} where ${mayBeFlagged("value")}
    union all
    select 'property_key' as field, '' as key, toString(arrayJoin(mapKeys(properties))) as value, time
    from ${events} where ${mayBeFlagged("value")}
    union all
    select 'properties' as field, toString(pair.1) as key, pair.2 as value, time
    from (select time, arrayJoin(arrayFilter(one -> ${mayBeFlagged("one.2")},
      arrayZip(mapKeys(properties), mapValues(properties)))) as pair from ${events})
  )`;

/** A stored value as rows bring it: the byte before JSON is no text. */
export const valueColumns = `startsWith(value, '\\xFF') as is_json,
  if(is_json, substring(value, 2), value) as text`;
