/** Shows a line of progress or of the result. */
export const say = (line: string): unknown => process.stdout.write(`${line}\n`);
