const before = "[$€£¥₹]|\\b(?:USD|EUR|GBP|CHF|JPY|PLN|BRL|R\\$)\\s?";
const after = "[€£¥₹]|(?:USD|EUR|GBP|CHF|PLN|zł|kr|Kč|円|元|руб)(?![\\p{L}])";
const number = "\\d[\\d.,]{0,11}";
/** An amount with its currency, before or after it. */
const amount = new RegExp(`(?:${before})\\s?${number}|\\b${number}\\s?(?:${after})`, "gu");
const each = "\\/|\\bper |\\ba |\\bpro |\\bpar |\\bal |\\bpor |\\bper il |每|毎";
const span =
  "mo\\b|month|year|yr\\b|user|seat|Monat|Jahr|mois|an\\b|mes\\b|mese|anno|mês|ano\\b|月|年";
const interval = new RegExp(`(?:${each})\\s?(?:${span})`, "iu");
const pricesMax = 50;

export function countPrices(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(amount)) if (++count === pricesMax) break;
  return count;
}

export const isRecurringPrice = (text: string): boolean => interval.test(text);
