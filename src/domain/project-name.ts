import { invalidField } from "./errors";
import { projectNameCharsMax } from "./limits";

export const projectNamePattern = `^[A-Za-z0-9._-]{1,${projectNameCharsMax}}$`;
const form = new RegExp(projectNamePattern);

/** Returns the trimmed name, or throws MISSING_FIELDS. */
export function projectNameOf(text: string): string {
  if (form.test(text)) return text;
  throw invalidField(
    "name",
    `"name" must have 1 to ${projectNameCharsMax} letters, digits, dots, dashes or underscores.`,
  );
}
