/** The bytes with which some programs begin a text. They are none of its characters. */
export const byteOrderMark: readonly number[] = [0xef, 0xbb, 0xbf];

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of bytes, or null where they are no UTF-8: replaced by a sign, two different ids could become one. */
export function textOfUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
