/** The package brings no types of its own. */
declare module "matomo-tracker" {
  import type { EventEmitter } from "node:events";

  type Options = Readonly<Record<string, string>>;
  class MatomoTracker extends EventEmitter {
    constructor(siteId: number, trackerUrl: string);
    track(options: Options): void;
    trackBulk(events: readonly Options[], done: (answer: unknown) => void): void;
  }
  export = MatomoTracker;
}
