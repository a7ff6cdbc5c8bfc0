/*
 * The pages of a scan are read by a thread of their own.
 * Decision: all that is computed over texts of a site (HTML, robots.txt, addresses, the plan) runs in a thread that
 * starts with the first page of a scan and ends with the scan. An answer that takes more than 10 s ends the thread, and
 * with it the scan.
 * Because: anybody may have a page scanned that they wrote themselves, and the main thread answers everybody. A page
 * whose base address had 1.9 MB stopped the server for 34 s; the next trick of this kind costs its own scan alone.
 * Cost: a few ms and some 10 MB for each scan that runs, of which there are ten at most; none when there is none.
 */

import { secondMs } from "../../lib/clock";
import { Unreadable } from "../../services/page-fetch/page-fetch";
import { BoundedThread } from "../../store/protocol/bounded-thread";
import type { ThreadWorker } from "../../store/protocol/thread";
import type { PageText, SitePlans, SiteReader } from "./site";

/** Ordinary pages take a hundredth of it. */
const usualAnswerMsMax = 10 * secondMs;

export type SiteQuestion = {
  [Name in keyof SiteReader]: {
    readonly name: Name;
    readonly input: Parameters<SiteReader[Name]>;
  };
}[keyof SiteReader];

/** Asks a thread about a site, one question at a time. */
export class SiteThread implements SiteReader {
  readonly #thread: BoundedThread<SiteQuestion>;

  constructor(start: () => ThreadWorker, answerMsMax = usualAnswerMsMax) {
    const tooSlow = () => new Unreadable("its pages take too long to read", null);
    const brokenOff = () => new Unreadable("the reading of its pages broke off", null);
    this.#thread = new BoundedThread({ start, answerMsMax, tooSlow, brokenOff });
  }

  page = (text: PageText): Promise<void> => this.#thread.ask({ name: "page", input: [text] });
  robots = (bytes: Uint8Array | null): Promise<void> =>
    this.#thread.ask({ name: "robots", input: [bytes] });
  links = (): Promise<readonly string[]> => this.#thread.ask({ name: "links", input: [] });
  mayRead = (address: string): Promise<boolean> =>
    this.#thread.ask({ name: "mayRead", input: [address] });
  plans = (start: string, isFull: boolean): Promise<SitePlans> =>
    this.#thread.ask({ name: "plans", input: [start, isFull] });

  end(why: Error): void {
    this.#thread.end(why);
  }
  /** It was ended within an answer, and may use a processor until `ended`. */
  get isStuck(): boolean {
    return this.#thread.isStuck;
  }
  get ended(): Promise<void> {
    return this.#thread.ended;
  }
}
