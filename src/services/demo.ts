/*
 * The demo is seeded beside itself.
 * Decision: its events are appended under another name, which then takes the project's place in one small commit.
 * Because: a crash leaves the dates before; no commit is longer than that of one date, so nobody waits.
 * Cost: twice its space (some 6 MB) for two seconds a day while it is wanted.
 */

import type { Config } from "../config";
import { dayOf, isoDate } from "../domain/event";
import { demoDates, demoMovesAtMs } from "../domain/limits";
import { dayMs } from "../lib/clock";
import { describeFault } from "../lib/fault";
import { log } from "../lib/log";
import type { Control } from "../store/control/control";
import { type DemoRow, demoProjectName } from "../store/control/demo";
import type { Entry, EventStore } from "../store/port";
import type { ReplayStore } from "../store/replay-port";
import type { TrustedTime } from "./trusted-time";

/** After this long without a session of it, it is removed. */
export const demoUnusedMs = 7 * dayMs;

/** The number of dates before today for which the demo has recordings. */
export const demoRecordedDates = 14;

export interface DemoSession {
  readonly id: string;
  readonly accessToken: string;
  readonly accessExpiresAtMs: number;
  readonly projectId: string;
  readonly projectName: string;
}

type Recordings = Pick<ReplayStore, "record" | "ofSessions">;

interface Parts {
  readonly control: Control;
  readonly store: EventStore;
  readonly replays: Recordings;
  readonly config: Pick<Config, "demoEnabled">;
  readonly trustedTime: Pick<TrustedTime, "isTrusted" | "refuseUnlessTrusted">;
  /** The number of dates that the demo has, up to today. */
  readonly dates?: number;
}

/**
 * The demo: seeded when it is first wanted, moved to the next date while it is, removed when nobody wants it. Seeding
 * and removing happen one after the other; sessions of a demo that is there wait for neither.
 */
export class Demo {
  readonly #control: Control;
  readonly #store: EventStore;
  readonly #replays: Recordings;
  readonly #isEnabled: boolean;
  readonly #dates: number;
  readonly #trustedTime: Parts["trustedTime"];
  #turn: Promise<unknown> = Promise.resolve();
  #recording = Promise.resolve();
  /** The demo, and the dates whose recordings it has stored or is storing. */
  #recordedDates = "";

  constructor({ control, store, replays, config, trustedTime, dates = demoDates }: Parts) {
    this.#control = control;
    this.#store = store;
    this.#replays = replays;
    this.#isEnabled = config.demoEnabled;
    this.#dates = dates;
    this.#trustedTime = trustedTime;
  }

  /** A session of the demo, which has data when this resolves. */
  async begin(scopes: readonly string[], nowMs: number): Promise<DemoSession> {
    const { projectId, accountId } = await this.#seeded(nowMs);
    // Recordings come later: a session does not wait for them.
    void this.#record();
    const { demo, agents } = this.#control;
    return this.#control.write(() => {
      demo.noteWanted(accountId, nowMs);
      const made = agents.addDemoSession(accountId, scopes, nowMs);
      return { ...made, projectId, projectName: demoProjectName };
    });
  }

  /** Timed: the dates of a demo that is there follow today. */
  async move(nowMs: number): Promise<void> {
    if (this.#control.demo.find() === undefined) return;
    await this.#seeded(nowMs);
    await this.#record();
  }

  /** Timed: a demo that nobody wants any more goes, with its events; so does one that is switched off. */
  async tidy(nowMs: number): Promise<void> {
    const { demo } = this.#control;
    const wantedBeforeMs = this.#isEnabled ? nowMs - demoUnusedMs : Number.MAX_SAFE_INTEGER;
    await this.#inTurn(async () => {
      const unwanted = demo.giveUp(wantedBeforeMs);
      if (unwanted === undefined) return;
      const { accountId, projectId } = unwanted;
      // Events first: what has no row any more can no longer be found to be purged.
      await this.#store.purge(stagingOf(projectId));
      await this.#store.purge(projectId);
      demo.erase(accountId);
    });
  }

  async #seeded(nowMs: number): Promise<DemoRow> {
    const known = this.#control.demo.find();
    if (known !== undefined && isUpToDate(known, nowMs)) return known;
    // A clock that may be wrong moves nothing: the dates from before are shown.
    if (known?.seededDate != null && !this.#trustedTime.isTrusted()) return known;
    this.#trustedTime.refuseUnlessTrusted();
    return this.#inTurn(async () => {
      const { demo } = this.#control;
      const today = dayOf(nowMs);
      const row = demo.find() ?? demo.make(today, nowMs);
      // The caller before may have seeded it meanwhile.
      if (isUpToDate(row, nowMs)) return row;
      await this.#seed(row.projectId, today);
      demo.noteSeeded(row, today);
      return row;
    });
  }

  /**
   * Seeds the demo under a name of its own, which then takes the project's place: a crash leaves the demo from before.
   */
  async #seed(projectId: string, today: number): Promise<void> {
    const staging = stagingOf(projectId);
    await this.#store.purge(staging);
    // Date by date, so that requests get their turn in between; one is made while the one before is written.
    const first = today - this.#dates + 1;
    let entries = await entriesOf(staging, first);
    for (let day = first; day <= today; day++) {
      const [, next] = await Promise.all([
        this.#store.append(entries),
        day < today ? entriesOf(staging, day + 1) : [],
      ]);
      entries = next;
    }
    await this.#store.replaceProject(projectId, staging);
  }

  /**
   * Adds the recordings that the dates of the demo lack. The retention of recordings deletes those of older dates. If
   * this fails, the next session tries it again.
   */
  #record(): Promise<void> {
    const row = this.#control.demo.find();
    const dates = `${row?.projectId} ${row?.seededDate}`;
    if (row === undefined || this.#recordedDates === dates) return this.#recording;
    this.#recordedDates = dates;
    this.#recording = this.#recording
      .then(() => this.#recordDates(row))
      .catch((error: unknown) => {
        this.#recordedDates = "";
        log("warn", "the demo's recordings could not be stored", describeFault(error));
      });
    return this.#recording;
  }

  async #recordDates({ accountId, projectId, seededDate }: DemoRow): Promise<void> {
    if (seededDate === null) return;
    const { demoRecordings } = await import("../domain/demo/recordings");
    const today = dayOf(Date.parse(seededDate));
    for (let day = today - Math.min(demoRecordedDates, this.#dates - 1); day < today; day++) {
      const ofDay = demoRecordings(day);
      const ids = ofDay.map(({ sessionId }) => sessionId);
      const { found } = await this.#replays.ofSessions(projectId, ids);
      const missing = ofDay.filter(({ sessionId }) => !found.has(sessionId));
      if (missing.length === 0) continue;
      const names = { accountId, projectId, reason: "page_closed" } as const;
      await this.#replays.record(missing.map((one) => ({ ...one, ...names })));
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    // The next one's turn comes whatever became of this.
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

const stagingOf = (projectId: string): string => `${projectId}_seed`;

/** The first minutes of a date still show the day before. */
function isUpToDate({ seededDate }: DemoRow, nowMs: number): boolean {
  if (seededDate === null) return false;
  // One of a later date was seeded under a clock that was ahead.
  return seededDate >= isoDate(dayOf(nowMs - demoMovesAtMs)) && seededDate <= isoDate(dayOf(nowMs));
}

/** Makes the entries of a date as if they had been received on that date. */
async function entriesOf(projectId: string, day: number): Promise<Entry[]> {
  // Loaded when it is needed: most servers never seed a demo.
  const { demoDay } = await import("../domain/demo/day");
  const { events, crawlers } = demoDay(day);
  const receivedAtMs = day * dayMs;
  return [
    { kind: "events", projectId, receivedAtMs, events },
    ...crawlers.map(
      (crawler): Entry => ({
        ...{ kind: "automated", projectId, date: isoDate(day), ...crawler },
        droppedEvents: crawler.requests,
      }),
    ),
  ];
}
