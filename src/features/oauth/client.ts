/** Of one client. */
export const redirectsMax = 20;
const nameCharsMax = 200;

/** A program that wants a person to let it in. */
export interface Client {
  readonly id: string;
  /** What it calls itself. */
  readonly name: string | null;
  readonly redirectUris: readonly string[];
  /** The site whose document it shows; null for one that has registered, as anybody can. */
  readonly documentOrigin: string | null;
}

/** As far as it is kept; null for what is no name. */
export function clientNameOf(value: unknown): string | null {
  if (typeof value !== "string" || value.trim() === "") return null;
  return [...value.trim().slice(0, 2 * nameCharsMax)].slice(0, nameCharsMax).join("");
}
