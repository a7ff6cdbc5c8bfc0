import { readableText } from "../../lib/readable-text";
import { clock, make } from "./dom";
import type { Page } from "./page";
import type { Entry, Recording } from "./recording";

/** Entries that are worth jumping to. */
const isMarked = ({ kind }: Entry): boolean => /click|page|event|back/.test(kind);

export const marksOf = ({ entries }: Recording): number[] =>
  entries.filter(isMarked).map(({ at_ms }) => at_ms);

const percent = (part: number, of: number): string =>
  `${((Math.min(of, part) / of) * 100).toFixed(2)}%`;

/** Idle times and marks on the slider. */
export function drawMarks(page: Page, recording: Recording): void {
  const { lengthMs } = recording;
  page.marks.replaceChildren(
    ...recording.gaps.map(({ from, to }) => {
      const style = `left:${percent(from, lengthMs)};width:${percent(to - from, lengthMs)}`;
      return make("i", { style, title: `No activity for ${Math.round((to - from) / 1_000)} s` });
    }),
    ...recording.entries
      .filter(isMarked)
      .map(({ kind, at_ms }) =>
        make("b", { class: kind, style: `left:${percent(at_ms, lengthMs)}` }),
      ),
  );
}

/** The list of what happened. A click on a line goes there. */
export function drawList(page: Page, recording: Recording, go: (ms: number) => void): void {
  page.list.replaceChildren(
    ...recording.entries.map((entry) =>
      make(
        "li",
        {},
        make(
          "button",
          { type: "button", class: `line ${entry.kind}`, click: () => go(entry.at_ms) },
          make("time", {}, clock(entry.at_ms)),
          make("span", { class: "kind" }, kindOf(entry)),
          make("span", { class: "label" }, labelOf(entry)),
        ),
      ),
    ),
  );
}

const kindOf = ({ kind, count }: Entry): string =>
  kind.replaceAll("_", " ") + (count !== undefined && kind.endsWith("click") ? ` ×${count}` : "");

const labelOf = ({ label, page, event, ms, element }: Entry): string =>
  label ??
  (page === undefined ? undefined : readableText(page)) ??
  event ??
  (ms === undefined ? undefined : `${Math.round(ms / 1_000)} s`) ??
  element ??
  "";

const sameMs = 50;

/** Marks the line of what happened last. */
export function markNow(page: Page, { entries }: Recording, at: number, isPlaying: boolean): void {
  const now = entries.findLastIndex(({ at_ms }) => at_ms <= at + sameMs);
  [...page.list.children].forEach((item, index) => {
    if (item.classList.contains("now") === (index === now)) return;
    item.classList.toggle("now", index === now);
    if (index === now && isPlaying) item.scrollIntoView({ block: "nearest" });
  });
}
