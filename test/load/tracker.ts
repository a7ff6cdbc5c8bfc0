import { hasSnapshot, openCollector } from "../support/browser/replay-collector";
import { openTrackedSite } from "../support/browser/tracked-site";
import { type Figures, median, oneDecimal } from "./figures";

const section = "Tracker";
const rounds = 31;
const startMsMax = 3;
const visits = 20;
const shortVisitMs = 150;
const arrivalMsMax = 700;

/** What the scripts of a page take of it: how long the tracker keeps it busy, how soon the recorder has begun. */
export async function measureTracker(figures: Figures): Promise<void> {
  await measureStart(figures);
  await measureShortVisits(figures);
}

async function measureStart(figures: Figures): Promise<void> {
  const world = await openTrackedSite("measured");
  try {
    const { page } = await world.visitor();
    const script = await (await fetch(`${world.server.url}/tracker.js`)).text();
    const startsMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      // Nothing is sent from this page before the visitor agrees: the script's own work is all that is measured.
      await page.goto(`${world.origin}/consent`);
      startsMs.push(await page.evaluate<number>(startOf(script)));
    }
    const startMs = median(startsMs);
    figures.add(
      section,
      `its start in Chromium, main thread, median of ${rounds}, ms`,
      oneDecimal(startMs),
      oneDecimal(startMsMax),
      startMs < startMsMax,
    );
  } finally {
    await world.close();
  }
}

async function measureShortVisits(figures: Figures): Promise<void> {
  const collector = await openCollector();
  try {
    let recorded = 0;
    for (let visit = 0; visit < visits; visit++) {
      collector.forget();
      const { page } = await collector.visit("/docs");
      await page.waitForTimeout(shortVisitMs);
      await page.goto(`${collector.origin}/away`);
      await page.waitForTimeout(arrivalMsMax);
      if (hasSnapshot(collector)) recorded++;
      await page.context().close();
    }
    figures.add(
      section,
      `visitors who leave ${shortVisitMs} ms after the page's load: recorded of ${visits}`,
      String(recorded),
      String(visits),
      recorded === visits,
    );
  } finally {
    await collector.close();
  }
}

/** Runs the script a second time, as its own tag would, and tells how long that took. */
const startOf = (script: string): string => `(() => {
  delete window.aa;
  const run = new Function(${JSON.stringify(script)});
  const currentScript = document.querySelector("script[data-token]");
  Object.defineProperty(document, "currentScript", { value: currentScript, configurable: true });
  const startedMs = performance.now();
  run();
  return performance.now() - startedMs;
})()`;
