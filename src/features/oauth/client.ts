/** The redirects of a client that shows a document. */
export const redirectsMax = 20;
const nameCharsMax = 200;

/** A program that wants a person to let it in. */
export interface Client {
  readonly id: string;
  /** The name that the client gives itself. */
  readonly name: string | null;
  readonly redirectUris: readonly string[];
  /** The site whose document it shows; null for one that has registered, as anybody can. */
  readonly documentOrigin: string | null;
}

/** Returns the part of a name that is kept; null for a value that is no name. */
export function clientNameOf(value: unknown): string | null {
  if (typeof value !== "string" || value.trim() === "") return null;
  return [...value.trim().slice(0, 2 * nameCharsMax)].slice(0, nameCharsMax).join("");
}
