import { ApiError, invalidField } from "../../domain/errors";

type Given = Readonly<Record<string, unknown>>;

/** Fields that clients know under either name. An operation documents the one that its schema has. */
const twins: readonly (readonly [string, string])[] = [
  ["since", "date_from"],
  ["until", "date_to"],
  ["groupBy", "group_by"],
];
const otherNames: ReadonlyMap<string, string> = new Map(
  twins.flatMap(([one, other]) => [
    [one, other],
    [other, one],
  ]),
);

/** The documented names that can be sent under another one, with that one. */
export const otherNamesOf = (documented: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    documented.flatMap((name) => {
      const other = otherNames.get(name);
      return other === undefined || documented.includes(other) ? [] : [[other, name] as const];
    }),
  );

/**
 * Returns what was sent, with every field under its documented name. Throws MISSING_FIELDS when the two names disagree;
 * `path` is that of the object that has them.
 */
export function underDocumentedNames(
  documented: readonly string[],
  given: Given,
  path = "",
): Given {
  const renamed = otherNamesOf(documented);
  const sent = Object.keys(given).filter((name) => renamed.has(name));
  if (sent.length === 0) return given;
  const fields = new Map(Object.entries(given));
  for (const other of sent) {
    const name = renamed.get(other) ?? other;
    const [value, already] = [given[other], fields.get(name)];
    fields.delete(other);
    if (value === null) continue;
    if (already !== undefined && already !== null && !isEqual(value, already)) {
      const field = path === "" ? name : `${path}.${name}`;
      throw invalidField(field, `"${other}" is another name for "${name}". Send only one of them.`);
    }
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/** Returns the names under which fields were sent, by their documented names, where the two differ. */
export const sentNames = (
  documented: readonly string[],
  given: Given,
): ReadonlyMap<string, string> =>
  new Map(
    [...otherNamesOf(documented)]
      .filter(([other, name]) => isGiven(given, other) && !isGiven(given, name))
      .map(([other, name]) => [name, other]),
  );

/** An error, with its field and its message in the names that were sent. */
export function underSentNames(thrown: unknown, sent: ReadonlyMap<string, string>): unknown {
  if (sent.size === 0 || !(thrown instanceof ApiError)) return thrown;
  const { code, message, extras } = thrown;
  let told = message;
  let { field } = extras;
  for (const [name, other] of sent) {
    told = told.replace(new RegExp(`"${name}(?=["[.])`, "g"), `"${other}`);
    field = field?.replace(new RegExp(`^${name}(?=$|[[.])`), other);
  }
  const isSame = told === message && field === extras.field;
  return isSame ? thrown : new ApiError(code, told, { ...extras, ...(field && { field }) });
}

const isGiven = (given: Given, name: string): boolean => (given[name] ?? null) !== null;
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
