import { nextMonthMs } from "../domain/month";
import { allowsMore } from "../domain/plan";
import { clock } from "../lib/clock";

/** Events of an owner in this UTC month. */
interface Volume {
  stored: number;
  /** Events on their way to the store. They count against the limit until the store has answered. */
  reserved: number;
}

/** Counts the events of each owner in this UTC month, those on their way to the store included. */
export class MonthVolume {
  readonly #volumes = new Map<string, Volume>();
  /** The end of the month in ms: it is compared with every event, which would be slower with a name of the month. */
  #endsAtMs: number;

  /** `stored` is what the month of `nowMs` has brought so far, by owner. */
  constructor(nowMs: number, stored: ReadonlyMap<string, number>) {
    this.#endsAtMs = nextMonthMs(nowMs);
    for (const [owner, events] of stored) this.#volumes.set(owner, { stored: events, reserved: 0 });
  }

  stored(owner: string): number {
    return this.#of(owner).stored;
  }

  /** Takes room for events that are about to be stored. False when the limit has none left. */
  reserve(owner: string, events: number, limit: number): boolean {
    const volume = this.#of(owner);
    if (!allowsMore(limit, volume.stored + volume.reserved, events)) return false;
    volume.reserved += events;
    return true;
  }

  /** The store has committed; repeats of an `event_id` make `stored` the smaller one. */
  settle(owner: string, reserved: number, stored: number): void {
    const volume = this.#of(owner);
    volume.reserved -= reserved;
    volume.stored += stored;
  }

  #of(owner: string): Volume {
    const nowMs = clock.nowMs();
    if (nowMs >= this.#endsAtMs) {
      this.#endsAtMs = nextMonthMs(nowMs);
      for (const volume of this.#volumes.values()) volume.stored = 0;
    }
    const known = this.#volumes.get(owner);
    if (known !== undefined) return known;
    const volume = { stored: 0, reserved: 0 };
    this.#volumes.set(owner, volume);
    return volume;
  }
}
