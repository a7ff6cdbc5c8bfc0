import { clockAt } from "./clocks";

/** Small things that every count of the model needs. Nothing here knows the product's code. */

export const dayMs = 86_400_000;
export const date = (timeMs: number, zone?: string): string =>
  new Date(clockAt(timeMs, zone)).toISOString().slice(0, 10);
/** The date of the latest; null of nothing. */
export const lastDate = (events: readonly { readonly timeMs: number }[], zone?: string) =>
  events.length === 0 ? null : date(Math.max(...events.map(({ timeMs }) => timeMs)), zone);

/** What clocks show, as the name of its hour, day, week or month. */
export function bucketOf(timeMs: number, groupBy: string): string {
  const iso = new Date(timeMs).toISOString();
  if (groupBy === "hour") return `${iso.slice(0, 13)}:00`;
  if (groupBy === "day") return iso.slice(0, 10);
  if (groupBy === "month") return iso.slice(0, 7);
  const daysSinceMonday = (new Date(timeMs).getUTCDay() + 6) % 7;
  return date(timeMs - daysSinceMonday * dayMs);
}

/** Math.round at the given number of digits, as the rK of definitions.md. */
export const rounded = (value: number, digits: number): number =>
  Math.round(value * 10 ** digits) / 10 ** digits;

export function byCodePoints(a: string, b: string): number {
  const left = [...a].map((character) => character.codePointAt(0) ?? 0);
  const right = [...b].map((character) => character.codePointAt(0) ?? 0);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i] - right[i];
  }
  return left.length - right.length;
}

/** null first, numbers by value, texts by code points. */
export function byLabel(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return byCodePoints(String(a), String(b));
}

/** Members of each group, in order of first appearance. */
export function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): [K, T[]][] {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups];
}

export const distinct = (values: readonly unknown[]): number =>
  new Set(values.filter((value) => value !== null)).size;

/** The exact sum, rounded once. Its unit is the smallest double-precision number, 2^-1074. */
export const sum = (values: readonly number[]): number =>
  numberOf(values.reduce((total, value) => total + unitsOf(value), 0n));

function unitsOf(value: number): bigint {
  const [bits] = new BigUint64Array(Float64Array.of(Math.abs(value)).buffer);
  const exponent = bits >> 52n;
  const fraction = bits & (2n ** 52n - 1n);
  const units = exponent === 0n ? fraction : (fraction + 2n ** 52n) << (exponent - 1n);
  return value < 0 ? -units : units;
}
function numberOf(units: bigint): number {
  if (units < 0n) return -numberOf(-units);
  const surplus = BigInt(Math.max(0, units.toString(2).length - 53));
  const digits = units >> surplus;
  const twiceTheRest = (units - (digits << surplus)) * 2n;
  const whole = 2n ** surplus;
  const isUp = twiceTheRest > whole || (twiceTheRest === whole && digits % 2n === 1n);
  return Number(isUp ? digits + 1n : digits) * 2 ** (Number(surplus) - 1_074);
}

/** Two texts in the form of numbers compare as numbers, all others by code points. */
export function compared(a: string, b: string): number {
  const isNumber = (text: string): boolean =>
    /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text));
  return isNumber(a) && isNumber(b) ? Number(a) - Number(b) : byCodePoints(a, b);
}

export const lowerAscii = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

export const passiveEvents = [
  "page_view",
  "$impression",
  "$scroll_depth",
  "$error",
  "$time_on_page",
  "$performance",
  "$web_vitals",
  "$experiment_exposure",
];
