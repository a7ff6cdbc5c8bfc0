/*
 * Visitors without an id are named by a key of the day.
 * Decision: their id is a keyed hash of project, address, agent and host. The key is random, belongs to one UTC day and
 * is destroyed when the next day is over; the address and the agent are stored nowhere.
 * Because: nobody can tell from an id, or link over days, who somebody was, once the key is gone.
 * Cost: a visitor of two days counts as two.
 */

import { createHmac } from "node:crypto";
import { dayOf } from "../../../domain/event";
import type { Control } from "../../../store/control/control";

/** What is known of a sender that names nobody. */
export interface UnnamedSender {
  readonly projectId: string;
  readonly address: string;
  readonly agent: string;
  readonly host: string;
}

const idChars = 22;

/** Names visitors without an id. */
export class VisitorIds {
  #day = -1;
  #today: Buffer | null = null;
  #yesterday: Buffer | null = null;

  constructor(private readonly keys: Pick<Control["visitorKeys"], "ofDay" | "makeOfDay">) {}

  /**
   * The id of today, unless a session that began yesterday under the id of then is still open. Throws UNAVAILABLE when
   * today's key cannot be written.
   */
  idOf(sender: UnnamedSender, nowMs: number, isOpen: (id: string) => boolean): string {
    this.#turnTo(dayOf(nowMs));
    const id = hashed(this.#today ?? this.#makeToday(), sender);
    if (this.#yesterday === null || isOpen(id)) return id;
    const before = hashed(this.#yesterday, sender);
    return isOpen(before) ? before : id;
  }

  #turnTo(day: number): void {
    if (day === this.#day) return;
    this.#day = day;
    this.#today = null;
    this.#yesterday = this.keys.ofDay(day - 1);
  }

  #makeToday(): Buffer {
    this.#today = this.keys.makeOfDay(this.#day);
    return this.#today;
  }
}

/** The parts are a list in JSON: no two senders have the same text. */
function hashed(key: Buffer, { projectId, address, agent, host }: UnnamedSender): string {
  const text = JSON.stringify([projectId, address, agent, host]);
  return `v_${createHmac("sha256", key).update(text).digest("base64url").slice(0, idChars)}`;
}
