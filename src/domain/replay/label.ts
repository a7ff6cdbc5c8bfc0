/** Signs that show nothing, or that change the order of what is shown: a stranger could hide words behind them. */
const unseen = new RegExp(
  [
    "[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Variation_Selector}]",
    "[\\u115f\\u1160\\u17b4\\u17b5\\u2800\\u3164\\uffa0]",
    "\\u034f",
  ].join("|"),
  "gu",
);

/**
 * Words of the recorded page or its visitor as they are shown: on one line, without anything unseen, at most `charsMax`
 * code points. They stay untrusted.
 */
export function shownText(text: string, charsMax: number): string {
  // Eight times is more than spaces and unseen signs take of any honest text.
  const plain = text
    .slice(0, charsMax * 8)
    .replace(unseen, " ")
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...plain];
  return characters.length > charsMax ? `${characters.slice(0, charsMax - 1).join("")}…` : plain;
}

/** The path of an address, as it is shown: query and fragment may name people. */
export function shownPath(address: string, charsMax: number): string {
  const path = URL.canParse(address) ? new URL(address).pathname : address.split(/[?#]/, 1)[0];
  return shownText(path, charsMax);
}
