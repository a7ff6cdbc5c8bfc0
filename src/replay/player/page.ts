import { icon, make } from "./dom";

const button = (label: string, content: string | Node, more = {}): HTMLButtonElement =>
  make("button", { type: "button", "aria-label": label, title: label, ...more }, content);

export type Page = ReturnType<typeof buildPage>;

/** The viewer's elements. */
export function buildPage() {
  const page = {
    stage: make("div", { class: "stage" }),
    list: make("ol"),
    address: make("span", { class: "page" }),
    marks: make("div", { class: "marks" }),
    fill: make("div", { class: "fill" }),
    seek: make("input", { type: "range", min: 0, step: 50, "aria-label": "Position" }),
    play: button("Play", icon("play"), { class: "play" }),
    time: make("time", {}, "0:00"),
    total: make("time"),
    speed: button("Speed (< >)", "1×"),
    skip: button("Skip inactivity (s)", "Skip idle", { "aria-pressed": "true" }),
    full: button("Full screen (f)", icon("full")),
    skipped: make("p", { class: "skipped", role: "status" }),
  };
  document.body.replaceChildren(
    make("header", {}, page.address),
    make("main", {}, page.stage, page.skipped),
    make("aside", { "aria-label": "Events" }, make("h1", {}, "Events"), page.list),
    make(
      "footer",
      {},
      make("div", { class: "track" }, page.fill, page.marks, page.seek),
      make(
        "div",
        { class: "controls" },
        page.play,
        page.time,
        make("span", {}, "/"),
        page.total,
        make("span", { class: "space" }),
        page.skip,
        page.speed,
        page.full,
      ),
    ),
  );
  return page;
}
