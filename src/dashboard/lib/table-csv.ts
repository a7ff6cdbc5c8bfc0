import { storedText } from "../../lib/inert-text";
import { downloadCsv } from "./copy";

/** Writes what a table shows. A cell that shows a shortened number has the exact one as its title. */
export function downloadTable(name: string, within: HTMLElement | null): void {
  const table = within?.querySelector("table");
  if (!table) return;
  const columns = [...table.querySelectorAll("thead th")].map(textOf);
  const rows = [...table.querySelectorAll("tbody tr")].map((row) =>
    Object.fromEntries([...row.children].map((cell, i) => [columns[i] ?? "", valueOfCell(cell)])),
  );
  downloadCsv(name, { columns, rows });
}

/**
 * Returns the text of a cell as it was stored, since the file is made visible once more; a text that the page cuts is
 * whole in its title, and a date, which the page writes in the reader's form, is exact in its attribute.
 */
function textOf(cell: Element): string {
  const copy = cell.cloneNode(true);
  if (!(copy instanceof Element)) return "";
  for (const one of copy.querySelectorAll("bdi[title]")) {
    one.textContent = one.getAttribute("title");
  }
  for (const one of copy.querySelectorAll("time[datetime]")) {
    one.textContent = one.getAttribute("datetime");
  }
  for (const one of copy.querySelectorAll("[aria-hidden=true]")) one.remove();
  return storedText((copy.textContent ?? "").trim());
}

function valueOfCell(cell: Element): string {
  const title = cell.classList.contains("num") ? cell.getAttribute("title") : null;
  const text = title ?? textOf(cell);
  return /^[\d,]+$/.test(text) ? text.replaceAll(",", "") : text;
}
