import { didYouMean, nearest } from "../lib/nearest";
import { ApiError } from "./errors";

/** The length to which the name of an unknown field is cut: enough to be recognized in the answer. */
const nameCharsMax = 128;

/**
 * The first name that is none of the known ones is refused, so that nobody gets a number for a question that was not
 * asked. `renamed` has further names, each with the one to use.
 */
export function refuseUnknown(
  names: Iterable<string>,
  known: readonly string[],
  { what, path = "", renamed = new Map() }: Place,
): void {
  for (const name of names) {
    if (known.includes(name) || renamed.has(name)) continue;
    const found = nearest(name, [...known, ...renamed.keys()]);
    const suggested = found === null ? null : (renamed.get(found) ?? found);
    const all =
      known.length === 0 ? "This request takes none." : `Valid names: ${known.join(", ")}.`;
    const shown = name.slice(0, nameCharsMax);
    throw new ApiError(
      "INVALID_BODY",
      `The request has an unknown ${what}, named in \`field\`.${didYouMean(suggested)} ${all}`,
      {
        field: `${path}${shown}`,
        ...(suggested === null ? {} : { suggested_field: `${path}${suggested}` }),
      },
    );
  }
}

interface Place {
  readonly what: "field" | "parameter";
  /** The path before the name: `filters[0].`. */
  readonly path?: string;
  readonly renamed?: ReadonlyMap<string, string>;
}
