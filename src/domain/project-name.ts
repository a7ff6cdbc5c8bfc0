import { invalidField } from "./errors";
import { projectNameCharsMax } from "./limits";

export const projectNamePattern = `^[A-Za-z0-9._-]{1,${projectNameCharsMax}}$`;
const form = new RegExp(projectNamePattern);

/** Addresses name projects, and these two lead elsewhere in an address. */
const namesOfFolders: ReadonlySet<string> = new Set([".", ".."]);

/** Returns the name, or throws MISSING_FIELDS. */
export function projectNameOf(text: string): string {
  if (form.test(text) && !namesOfFolders.has(text)) return text;
  throw invalidField(
    "name",
    `"name" must have 1 to ${projectNameCharsMax} letters, digits, dots, dashes or underscores, ` +
      'and be neither "." nor "..".',
  );
}
