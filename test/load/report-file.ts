/** The report ends here; what follows in its file is written by hand, and stays. */
const endOfReport = "<!-- `npm run load` writes all that stands above this line. -->";

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
