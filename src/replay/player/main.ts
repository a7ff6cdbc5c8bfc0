import cursorStyle from "@rrweb/replay/dist/style.css" with { type: "text" };
import type { CleanEvent } from "../cleaning/clean";
import { Controls } from "./controls";
import { make } from "./dom";
import { buildPage } from "./page";
import { Recording } from "./recording";
import { Stage } from "./stage";
import style from "./style.css" with { type: "text" };

const followMs = 5_000;
/** The library plays two events or more. */
const eventsMin = 2;

async function main(): Promise<void> {
  document.head.append(make("style", {}, cursorStyle + style));
  document.body.append(make("p", { class: "notice", role: "status" }, "Loading…"));
  const recording = new Recording();
  const collect = (event: CleanEvent): void => void recording.events.push(event);
  let hasMore = await recording.load(collect);
  while (hasMore && recording.events.length < eventsMin) hasMore = await recording.load(collect);
  recording.begin();

  const page = buildPage();
  const stage = new Stage(page, recording.events);
  const controls = new Controls(page, recording, stage);
  const add = (event: CleanEvent): void => {
    collect(event);
    stage.add(event);
  };
  controls.seek(placeInAddress(recording));
  while (hasMore) hasMore = await recording.load(add);
  await recording.loadEntries();
  controls.refresh();
  controls.seek(placeInAddress(recording));
  if (playsAtOnce()) controls.toggle();
  document.body.dataset.loaded = "yes";
  addEventListener("hashchange", () => controls.seek(placeInAddress(recording)));
  follow(recording, add, controls);
}

/**
 * `#t=75` starts at that second. `#at=` has a time in milliseconds by the visitor's clock, as tracked events have it,
 * so that it finds the place of an event even if that clock is wrong. `&play` after either plays at once.
 */
function placeInAddress({ startMs }: Recording): number {
  const [, unit, number = "0"] = /^#(t|at)=(\d{1,13})(?:&play)?$/.exec(location.hash) ?? [];
  return unit === "at" ? Math.max(0, Number(number) - startMs) : Number(number) * 1_000;
}

/** Readers whose system asks for less motion start the recording themselves. */
const playsAtOnce = (): boolean =>
  location.hash.endsWith("&play") && !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A visit that goes on is shown as it goes on. */
function follow(recording: Recording, add: (event: CleanEvent) => void, controls: Controls): void {
  if (recording.status !== "recording") return;
  setTimeout(async () => {
    if (document.visibilityState === "visible") {
      try {
        await recording.load(add);
        await recording.loadEntries();
        controls.refresh();
      } catch {
        // The link has expired: what is here can still be watched.
        return;
      }
    }
    follow(recording, add, controls);
  }, followMs);
}

main().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : "This replay cannot be played.";
  document.body.replaceChildren(make("p", { class: "notice", role: "alert" }, text));
});
