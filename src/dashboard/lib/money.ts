import { short } from "./format";

const decimal = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

/** A sum in its currency; without one a plain number. */
export const money = (value: number, currency: string | null): string =>
  currency === null ? decimal.format(value) : formOf(currency, {}).format(value);

/** The same in the short form of lists: €9,876 and €12.3k. */
export function shortMoney(value: number, currency: string | null): string {
  if (currency === null) return Math.abs(value) < 100 ? decimal.format(value) : short(value);
  const size = Math.abs(value);
  if (size < 100) return money(value, currency);
  const isLong = size >= 9_999.5;
  const form = formOf(currency, {
    maximumFractionDigits: isLong ? 1 : 0,
    ...(isLong && { notation: "compact" }),
  });
  return form.format(value).replace(/K$/, "k");
}

const formOf = (currency: string, options: Intl.NumberFormatOptions): Intl.NumberFormat =>
  new Intl.NumberFormat("en", { style: "currency", currency, ...options });
