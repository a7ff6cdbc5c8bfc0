/** The report ends here; what follows in its file is written by hand, and stays. */
const endOfReport = "[//]: # (`npm run load` writes all that stands above this line.)";

/** The text of the file with a new report in place of the one that it has. */
export function withReport(before: string | null, report: string): string {
  const kept = before?.split(endOfReport) ?? [];
  if (kept.length > 2) throw new Error("The file has several ends of its report: leave one.");
  // Nothing marks a report in it: all of it may be somebody's.
  const byHand = kept.length === 2 ? kept[1] : before === null ? "\n" : `\n\n${before}`;
  return `${report}\n\n${endOfReport}${byHand}`;
}

export async function keepReport(path: string, report: string): Promise<void> {
  const file = Bun.file(path);
  const before = (await file.exists()) ? await file.text() : null;
  await Bun.write(path, withReport(before, report));
}

const sectionMarks = (name: string): readonly [begin: string, end: string] => [
  `[//]: # (${name} writes from here:)`,
  `[//]: # (${name} has written to here.)`,
];

/** The text of the file with other lines between the marks of the section; null when it has no such marks. */
export function withSection(before: string, name: string, lines: string): string | null {
  const [begin, end] = sectionMarks(name);
  const from = before.indexOf(begin);
  const to = before.indexOf(end);
  if (from < 0 || to < from) return null;
  return `${before.slice(0, from + begin.length)}\n\n${lines}\n\n${before.slice(to)}`;
}

/** Resolves with whether the file has the section. */
export async function keepSection(path: string, name: string, lines: string): Promise<boolean> {
  const text = withSection(await Bun.file(path).text(), name, lines);
  if (text !== null) await Bun.write(path, text);
  return text !== null;
}
