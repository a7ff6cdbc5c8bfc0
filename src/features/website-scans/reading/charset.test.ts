import { expect, test } from "bun:test";
import { inUtf8 } from "./charset";

const ascii = (text: string): Uint8Array => Buffer.from(text, "latin1");
const utf16be = (text: string): Uint8Array => Buffer.from(text, "utf16le").swap16();
const meta = "<meta charset=";

test.each([
  ["the header", ascii("<a>\x83\x4a\x81\x5b"), "Shift_JIS", "<a>カー"],
  ["the header, whatever a meta element says", ascii(`${meta}utf-8>Caf\xe9`), "iso-8859-1", "Café"],
  ["a meta element", ascii(`${meta}"windows-1251"><b>\xcf\xf0`), null, "<b>Пр"],
  [
    "its older form",
    ascii(`<meta http-equiv=x content="text/html; charset=EUC-JP">\xa5\xab`),
    null,
    "カ",
  ],
  ["a mark", Buffer.from("\ufeff<b>é", "utf16le"), null, "<b>é"],
  ["a mark, whatever the header says", Buffer.from("\ufeff<b>é", "utf16le"), "utf-8", "<b>é"],
  ["the other mark", utf16be("\ufeff<b>é"), null, "<b>é"],
  ["the header of text without a mark", utf16be("<b>é"), "utf-16be", "<b>é"],
  ["nothing", Buffer.from("<b>é"), null, "<b>é"],
  ["what is none", Buffer.from("<b>é+ADw-"), "utf-7", "<b>é+ADw-"],
  ["a meta element that cannot be right", Buffer.from(`${meta}utf-16le>é`), null, "é"],
  ["a meta element far down", Buffer.from(`${" ".repeat(1_100)}${meta}koi8-r>é`), null, "é"],
])("what a page is written in is said by %s", (_, bytes, declared, expected) => {
  expect(Buffer.from(inUtf8(bytes, declared)).toString("utf8")).toEndWith(expected);
});
