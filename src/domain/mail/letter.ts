import { escapeHtml } from "../../lib/escape-html";
import { inertText } from "../../lib/inert-text";
import { hiddenRanges } from "../../lib/visible-text";
import type { Letter } from "./message";

/**
 * A letter is a list of these. Text and HTML are two ways to write the same list, so the text says everything that the
 * HTML says.
 */
export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "link"; readonly label: string; readonly url: string }
  | { readonly kind: "items"; readonly items: readonly string[] }
  | {
      readonly kind: "table";
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

export const paragraph = (text: string): Block => ({ kind: "paragraph", text });
export const link = (label: string, url: string): Block => ({ kind: "link", label, url });

const visitorTextCharsMax = 80;
const subjectCharsMax = 200;
const hiddenClass = hiddenRanges.replace(/(\w+)-(\w+) ?/g, "\\u{$1}-\\u{$2}");
const hidden = new RegExp(`[${hiddenClass}\\p{Surrogate}]+`, "gu");

/** A text of an owner as it may stand in a subject: on one line, without characters that nobody sees. */
export const ownerText = (text: string): string => text.replace(hidden, " ").trim();

/** A text of a visitor as it may stand in a body: it links to nothing, and has a bound. */
export function visitorText(text: string): string {
  const points = [...inertText(text)];
  if (points.length <= visitorTextCharsMax) return points.join("");
  return `${points.slice(0, visitorTextCharsMax - 1).join("")}…`;
}

/** Writes a letter. The subject stands on one line, without characters that nobody sees. */
export function letterOf(
  subject: string,
  blocks: readonly Block[],
  footer: readonly Block[],
): Letter {
  const all = [...blocks, ...footer];
  const text = blocks.map(textOf).join("\n\n");
  const small = footer.map(textOf).join("\n");
  return {
    subject: [...subject.replace(hidden, " ")].slice(0, subjectCharsMax).join("").trim(),
    text: `${text}\n${small === "" ? "" : `\n-- \n${small}\n`}`,
    html: documentOf(all.length === 0 ? "" : blocks.map(htmlOf).join("\n"), footer),
  };
}

function textOf(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return block.text;
    case "heading":
      return `${block.text}\n${"-".repeat([...block.text].length)}`;
    case "link":
      return `${block.label}: ${block.url}`;
    case "items":
      return block.items.map((one) => `* ${one}`).join("\n");
    case "table":
      return tableText([block.head, ...block.rows]);
  }
}

/** Columns that are as wide as their widest cell; numbers stand at the right. */
function tableText(rows: readonly (readonly string[])[]): string {
  const widthOf = (column: number): number =>
    Math.max(...rows.map((row) => [...(row[column] ?? "")].length));
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  const padded = (cell: string, column: number): string => {
    const space = " ".repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length));
    return column === 0 ? cell + space : space + cell;
  };
  return rows.map((row) => row.map(padded).join("  ").trimEnd()).join("\n");
}

const cellStyle = "padding:4px 12px 4px 0;border-bottom:1px solid #ddd";

function htmlOf(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return `<p style="margin:0 0 12px">${escapeHtml(block.text)}</p>`;
    case "heading":
      return `<h2 style="margin:20px 0 8px;font-size:16px">${escapeHtml(block.text)}</h2>`;
    case "link":
      return `<p style="margin:0 0 12px"><a href="${escapeHtml(block.url)}">${escapeHtml(block.label)}</a></p>`;
    case "items":
      return `<ul style="margin:0 0 12px;padding-left:20px">${block.items
        .map((one) => `<li>${escapeHtml(one)}</li>`)
        .join("")}</ul>`;
    case "table":
      return `<table style="border-collapse:collapse;margin:0 0 12px">${rowHtml("th", block.head)}${block.rows
        .map((row) => rowHtml("td", row))
        .join("")}</table>`;
  }
}

const rowHtml = (tag: "th" | "td", cells: readonly string[]): string =>
  `<tr>${cells
    .map((cell, at) => {
      const side = at === 0 ? "left" : "right";
      return `<${tag} style="${cellStyle};text-align:${side}">${escapeHtml(cell)}</${tag}>`;
    })
    .join("")}</tr>`;

function documentOf(content: string, footer: readonly Block[]): string {
  const small =
    footer.length === 0
      ? ""
      : `<div style="color:#666;font-size:12px">${footer.map(htmlOf).join("")}</div>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"></head>
<body style="margin:0;padding:24px;font:14px/1.5 system-ui,sans-serif;color:#111;background:#fff">
<div style="max-width:600px">
${content}
${small}
</div>
</body></html>
`;
}
