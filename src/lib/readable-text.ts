/** Runs of percent-encoded bytes beyond ASCII. What is ASCII stays encoded: `%2F` in a path is no slash. */
const encodedRuns = /(?:%[89A-F][0-9A-F])+/gi;

/**
 * A text for people, in which the letters of a percent-encoded address can be read: browsers send `/%E1%83%A1`
 * for `/ს`. A run that is no valid UTF-8 stays as it is. Two texts may become one, so the result is for reading
 * alone: filters, files and answers of the API have the stored text.
 */
export const readableText = (text: string): string => text.replace(encodedRuns, lettersOf);

function lettersOf(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run;
  }
}
