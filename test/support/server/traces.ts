import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unpackText } from "../../../src/store/events/segment/codec";

/** Looks for a word wherever a server may have left it, in every form that it may have taken. */
export interface Trace {
  readonly where: string;
  readonly form: string;
}

interface Form {
  readonly name: string;
  /** The bytes as latin1 text, in lower case where `isFolded`. */
  readonly bytes: string;
  readonly isFolded: boolean;
}

const latin1 = (bytes: Buffer): string => bytes.toString("latin1");
const bigEndian = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

/** `word` is one of a-z and 0-9. Texts that are whole, such as addresses, are looked for as hashes too. */
export function formsOf(word: string, wholes: readonly string[] = []): Form[] {
  const folded = (name: string, bytes: Buffer | string): Form => ({
    name,
    bytes: (typeof bytes === "string" ? bytes : latin1(bytes)).toLowerCase(),
    isFolded: true,
  });
  const codes = [...word].map((letter) => letter.charCodeAt(0).toString(16));
  const upper = [...word.toUpperCase()].map((letter) => letter.charCodeAt(0).toString(16));
  return [
    folded("plain", word),
    folded("UTF-16, little end first", Buffer.from(word, "utf16le")),
    folded("UTF-16, big end first", bigEndian(word)),
    folded("percent-encoded", codes.map((code) => `%${code}`).join("")),
    folded("percent-encoded upper case", upper.map((code) => `%${code}`).join("")),
    folded("escaped as in JSON", codes.map((code) => `\\u00${code}`).join("")),
    folded("hexadecimal", codes.join("")),
    folded("hexadecimal upper case", upper.join("")),
    ...[0, 1, 2].flatMap((shift) => base64Forms(word, shift)),
    ...wholes.flatMap(hashForms),
  ];
}

/** What of it does not depend on its neighbours, when it begins at this place of a group of three bytes. */
function base64Forms(word: string, shift: number): Form[] {
  const text = Buffer.from(`${"\0".repeat(shift)}${word}`)
    .toString("base64")
    .replaceAll("=", "");
  const bytes = text.slice(shift === 0 ? 0 : shift + 1, -2);
  return [{ name: `base64 from ${shift}`, bytes, isFolded: false }];
}

function hashForms(text: string): Form[] {
  return ["sha256", "sha1", "md5"].flatMap((name) => {
    const hash = createHash(name).update(text).digest();
    return [
      { name: `${name} of ${text}`, bytes: latin1(hash), isFolded: false },
      { name: `${name} of ${text}, hexadecimal`, bytes: hash.toString("hex"), isFolded: true },
    ];
  });
}

export function tracesIn(bytes: Buffer | string, forms: readonly Form[], where: string): Trace[] {
  const text = latin1(Buffer.from(bytes));
  const folded = text.toLowerCase();
  return forms
    .filter((form) => (form.isFolded ? folded : text).includes(form.bytes))
    .map((form) => ({ where, form: form.name }));
}

/** Every file of a folder as bytes. */
export function tracesInFiles(folder: string, forms: readonly Form[]): Trace[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) =>
      tracesIn(readFileSync(join(parentPath, name)), forms, join(parentPath, name)),
    );
}

/** Every value of every table, and what is packed in it: there a word may lie across pages, or be compressed. */
export function tracesInValues(file: string, forms: readonly Form[]): Trace[] {
  const database = new Database(file, { readonly: true, strict: true });
  try {
    const tables = database
      .query("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .values()
      .flat();
    return tables.flatMap((table) => {
      const rows = database.query(`select * from "${table}"`).values();
      return rows.flat().flatMap((value) => tracesInValue(value, forms, `${file}: ${table}`));
    });
  } finally {
    database.close();
  }
}

function tracesInValue(value: unknown, forms: readonly Form[], where: string): Trace[] {
  if (typeof value === "string") return tracesIn(value, forms, where);
  if (!(value instanceof Uint8Array)) return [];
  const blob = Buffer.from(value);
  return [
    ...tracesIn(blob, forms, where),
    ...tracesIn(unpacked(blob), forms, `${where}, unpacked`),
  ];
}

/** Other blobs than those of segments are not packed. */
function unpacked(blob: Buffer): string {
  try {
    return unpackText(blob);
  } catch {
    return "";
  }
}
