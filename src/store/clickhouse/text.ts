/**
 * Text between JavaScript and ClickHouse, whose String is bytes. Texts are sent as UTF-8 in which a lone surrogate
 * takes its three bytes (WTF-8), so that nothing is lost, and the order of bytes is the order of code points.
 */
export function bytesOf(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, "utf8");
  const parts = [...text].map((character) =>
    character.isWellFormed() ? Buffer.from(character, "utf8") : surrogateBytes(character),
  );
  return Buffer.concat(parts);
}

function surrogateBytes(half: string): Uint8Array {
  const code = half.charCodeAt(0);
  return Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
}

/** A surrogate of three bytes begins with this byte, as some letters do; its second byte tells it from them. */
const surrogateLead = 0xed;
const surrogateSecondMin = 0xa0;

export function textOfBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let from = 0;
  let text = "";
  const isHalf = (at: number): boolean => buffer[at + 1] >= surrogateSecondMin;
  for (
    let at = buffer.indexOf(surrogateLead);
    at >= 0;
    at = buffer.indexOf(surrogateLead, at + 1)
  ) {
    if (!isHalf(at)) continue;
    const code = ((buffer[at] & 15) << 12) | ((buffer[at + 1] & 63) << 6) | (buffer[at + 2] & 63);
    text += buffer.toString("utf8", from, at) + String.fromCharCode(code);
    from = at + 3;
  }
  return text + buffer.toString("utf8", from);
}

export type ParameterValue = string | number | readonly string[] | readonly number[];

/** Returns a value for `param_…`, which ClickHouse reads as a field of a tab-separated line. */
export function parameterText(value: ParameterValue): string {
  if (typeof value === "string") return escaped(value);
  if (typeof value === "number") return String(value);
  return `[${value.map((one) => (typeof one === "number" ? one : quoted(one))).join(",")}]`;
}

const quoted = (text: string): string => `'${escaped(text).replace(/'/g, "\\'")}'`;

const escapes: Readonly<Record<string, string>> = {
  ...{ "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0", "\b": "\\b", "\f": "\\f" },
};

function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be escaped.
  const plain = text.replace(/[\\\t\n\r\0\x08\f]/g, (character) => escapes[character]);
  if (plain.isWellFormed()) return plain;
  return [...plain].map((one) => (one.isWellFormed() ? one : hexOf(one))).join("");
}

const hexOf = (half: string): string =>
  [...surrogateBytes(half)].map((byte) => `\\x${byte.toString(16)}`).join("");
