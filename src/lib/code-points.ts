/**
 * Texts as bytes whose order is that of code points. It is UTF-8, but that a lone surrogate is written as any other
 * character of three bytes: nothing is replaced, and what was written can be read again.
 */

/** The greatest number of bytes for each UTF-16 unit. */
export const bytesPerUnitMax = 3;

/** Writes the text at `at`. Returns where it ends. */
export function writeText(bytes: Uint8Array, at: number, text: string): number {
  let end = at;
  for (let unit = 0; unit < text.length; unit++) {
    const point = text.codePointAt(unit) ?? 0;
    if (point > 0xffff) unit++;
    if (point < 0x80) bytes[end++] = point;
    else if (point < 0x800) bytes[end++] = 0xc0 | (point >> 6);
    else {
      if (point < 0x10000) bytes[end++] = 0xe0 | (point >> 12);
      else {
        bytes[end++] = 0xf0 | (point >> 18);
        bytes[end++] = continuation(point >> 12);
      }
      bytes[end++] = continuation(point >> 6);
    }
    if (point >= 0x80) bytes[end++] = continuation(point);
  }
  return end;
}

export function readText(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; ) {
    const first = bytes[at++];
    const more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    let point = more === 0 ? first : first & (0x3f >> more);
    for (let byte = 0; byte < more; byte++) point = (point << 6) | (bytes[at++] & 0x3f);
    text += String.fromCodePoint(point);
  }
  return text;
}

const continuation = (bits: number): number => 0x80 | (bits & 0x3f);
