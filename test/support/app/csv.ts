/** RFC 4180 by its grammar, one character at a time: knows nothing of how the product writes it. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (isQuoted) {
      if (char !== '"') field += char;
      else if (next === '"') field += text.charAt(++at);
      else if (next === "," || next === "\r") isQuoted = false;
      else throw new Error(`after a closing quote comes ${JSON.stringify(next)}`);
    } else if (char === '"' && field === "") isQuoted = true;
    else if (char === ",") {
      record.push(field);
      field = "";
    } else if (char === "\r" && next === "\n") {
      records.push([...record, field]);
      record = [];
      field = "";
      at++;
    } else if (/["\r\n]/.test(char)) {
      throw new Error(`${JSON.stringify(char)} stands outside of quotes`);
    } else field += char;
  }
  if (field !== "" || record.length > 0) throw new Error("the last line has no end");
  return records;
}

/** Back from the visible form: `\u{HEX}` → code point. */
const unvisible = (text: string): string =>
  text.replace(/\\u\{([0-9A-F]+)\}/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );

/** The value that a cell stands for, where it should be this one. */
export function valueOfCell(cell: string, expected: unknown): unknown {
  if (expected === null || expected === undefined) return cell === "" ? expected : cell;
  if (typeof expected === "number") return Number(cell);
  if (typeof expected === "boolean") return cell === "true";
  if (typeof expected === "object") return JSON.parse(unvisible(cell));
  const isFormula = /^[=+\-@\t\r]/.test(String(expected));
  if (isFormula && !cell.startsWith("'")) throw new Error(`${cell} would be run as a formula`);
  return unvisible(isFormula ? cell.slice(1) : cell);
}
