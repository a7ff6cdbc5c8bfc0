import { describe, expect, test } from "bun:test";
import { inertText } from "../../lib/inert-text";
import { letterOf, link, ownerText, paragraph, visitorText } from "./letter";
import { maskedAddress } from "./message";

const nasty = `<script>alert(1)</script> [x](http://evil.example) \u202e`;

describe("a letter", () => {
  const letter = letterOf(
    "Subject\r\nBcc: spy@example.com",
    [
      { kind: "heading", text: "Pages" },
      paragraph(`Now: ${inertText(nasty)}`),
      { kind: "items", items: ["one", "two"] },
      {
        kind: "table",
        head: ["Page", "Views", "Before"],
        rows: [
          ["/", "1,200", "9"],
          ["/long/path", "3", "10"],
        ],
      },
      link("Open", "https://stats.example.com/app?a=1&b=2"),
    ],
    [paragraph("Sent automatically.")],
  );

  test("has a subject on one line", () => {
    expect(letter.subject).toBe("Subject Bcc: spy@example.com");
  });

  test("says the same in text and in HTML", () => {
    expect(letter.text).toBe(
      [
        ...["Pages\n-----", ""],
        "Now: \\u{3C}script>alert(1)\\u{3C}/script> [x]\\u{28}http:\\u{2F}/evil.example) \\u{202E}",
        ...["", "* one\n* two", ""],
        ...["Page        Views  Before", "/           1,200       9", "/long/path      3      10"],
        ...[
          "",
          "Open: https://stats.example.com/app?a=1&b=2",
          "",
          "-- ",
          "Sent automatically.",
          "",
        ],
      ].join("\n"),
    );
    const shown = letter.html.replace(/<[^>]+>/g, " ");
    for (const word of ["Pages", "one", "two", "1,200", "/long/path", "Sent automatically."])
      expect(shown).toContain(word);
  });

  test("has no markup of a visitor, and links to nothing but what we link to", () => {
    expect(letter.html).not.toContain("<script");
    expect(letter.html.match(/(href|src)="[^"]*"/g)).toEqual([
      'href="https://stats.example.com/app?a=1&amp;b=2"',
    ]);
    expect(letter.html).not.toContain("//evil");
  });
});

test("a text of a visitor has at most 80 characters", () => {
  expect(visitorText("ä".repeat(80))).toBe("ä".repeat(80));
  expect(visitorText("ä".repeat(81))).toBe(`${"ä".repeat(79)}…`);
});

test("a text of an owner stands on one line, without characters that nobody sees", () => {
  expect(ownerText("My\u200b shop\r\nTo: x\u202e ")).toBe("My  shop To: x");
});

test("an address is known by its first letter and its domain", () => {
  expect(maskedAddress("ann.lee@example.com")).toBe("a…@example.com");
  expect(maskedAddress("a@example.com")).toBe("a…@example.com");
});
