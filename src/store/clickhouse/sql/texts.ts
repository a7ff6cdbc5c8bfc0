import { gated, gateOf } from "../../../domain/trust/gates";

/** Every rule of trust needs one of these texts: a value that contains none of them is not fetched. */
const gates = gated.map((category) => gateOf(category).source).join("|");
const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/**
 * A text of one-byte characters that gives an order has at least this many. A text with other characters is always
 * fetched, as they may hide something.
 */
const orderBytesMin = 12;

/**
 * Returns SQL that is true for every stored value in which a rule flags something, and for few others. A list or an
 * object is looked at when there is a text in it.
 */
const mayBeFlagged = (value: string): string => `multiIf(
    startsWith(${value}, '\\xFF'), length(${value}) > 3 and position(${value}, '"') > 0,
    match(${value}, '[^\\\\x20-\\\\x7e]'), 1,
    length(${value}) >= ${orderBytesMin}
      and match(replaceRegexpAll(lower(trimBoth(${value})), ' +', ' '), ${quoted(gates)}))`;

/** Selects each value in events that came from a visitor, with the field and key that had it, and its time. */
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

/** The columns of a stored value in a row, without the byte before JSON, which is not valid text. */
export const valueColumns = `startsWith(value, '\\xFF') as is_json,
  if(is_json, substring(value, 2), value) as text`;
