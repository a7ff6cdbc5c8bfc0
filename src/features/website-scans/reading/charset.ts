/** A meta element further down does not count, by the standard of HTML. */
const metaBytesMax = 1_024;
const metaForm = /<meta\s[^>]*charset\s*=\s*["']?\s*([\w-]+)/i;

/**
 * A page in UTF-8, which is what HTMLRewriter reads. What the page is written in is said by the mark that the text
 * begins with, else by the header of the answer, else by a meta element. An unknown charset is read as UTF-8.
 */
export function inUtf8(bytes: Uint8Array, declared: string | null): Uint8Array {
  const decoder = decoderOf(markOf(bytes) ?? declared ?? metaOf(bytes) ?? "utf-8");
  return decoder === null || decoder.encoding === "utf-8"
    ? bytes
    : new TextEncoder().encode(decoder.decode(bytes));
}

function markOf([first, second]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb ? "utf-8" : null;
}

/** A document in which the element can be read is in a form of ASCII: one that names UTF-16 there is mistaken. */
function metaOf(bytes: Uint8Array): string | null {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, metaBytesMax));
  const label = metaForm.exec(head)?.[1] ?? null;
  return label?.toLowerCase().startsWith("utf-16") ? null : label;
}

/**
 * Returns a decoder; null for a name of no encoding, and for UTF-7. The runtime knows more of them than its types name.
 */
function decoderOf(label: string): TextDecoder | null {
  try {
    return Reflect.construct(TextDecoder, [label]);
  } catch {
    return null;
  }
}
