const units = ["B", "kB", "MB", "GB"];

/** `1.5 MB`. */
export function sizeText(bytes: number): string {
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1_000 ** at;
  return `${amount >= 100 || at === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[at]}`;
}
