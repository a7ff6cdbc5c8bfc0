import { ObjectDamaged } from "./object-codec";

/*
 * Pages of a database as one run of bytes: how many pages there are and how long each is, their numbers, and the pages
 * themselves. All numbers are 32 bits, little-endian.
 */

const wordBytes = 4;
const headWords = 2;

/** Returns the bytes, with the pages still to be filled in, and the part of each. */
export function pageObject(
  pages: readonly number[],
  pageBytes: number,
): { readonly bytes: Uint8Array; readonly place: (at: number) => Uint8Array } {
  const headBytes = (headWords + pages.length) * wordBytes;
  const bytes = new Uint8Array(headBytes + pages.length * pageBytes);
  const head = new DataView(bytes.buffer);
  head.setUint32(0, pages.length, true);
  head.setUint32(wordBytes, pageBytes, true);
  for (const [at, page] of pages.entries()) {
    head.setUint32((headWords + at) * wordBytes, page, true);
  }
  const place = (at: number): Uint8Array =>
    bytes.subarray(headBytes + at * pageBytes, headBytes + (at + 1) * pageBytes);
  return { bytes, place };
}

/** Yields each page with its number. Throws ObjectDamaged. */
export function* pagesIn(
  object: Uint8Array,
): Generator<{ readonly page: number; readonly bytes: Uint8Array }> {
  const head = new DataView(object.buffer, object.byteOffset, object.byteLength);
  if (object.byteLength < headWords * wordBytes) throw new ObjectDamaged("pages");
  const count = head.getUint32(0, true);
  const pageBytes = head.getUint32(wordBytes, true);
  const headBytes = (headWords + count) * wordBytes;
  if (object.byteLength !== headBytes + count * pageBytes) throw new ObjectDamaged("pages");
  for (let at = 0; at < count; at++) {
    const start = headBytes + at * pageBytes;
    const page = head.getUint32((headWords + at) * wordBytes, true);
    yield { page, bytes: object.subarray(start, start + pageBytes) };
  }
}
