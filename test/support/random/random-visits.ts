import type { ObjectEvent } from "../../../src/domain/event";
import type { Random } from "./random";
import { randomProperties } from "./random-properties";

const hourMs = 3_600_000;

interface Span {
  readonly fromMs: number;
  readonly hours: number;
  /** The length of sessions. */
  readonly sessionHours?: number;
}

/** Events of a few users and sessions, which go on past midnight, in the hours from a time on. */
export function randomVisits(
  random: Random,
  count: number,
  { fromMs, hours, sessionHours = hours }: Span,
): ObjectEvent[] {
  const { below, chance, pick } = random;
  return Array.from({ length: count }, () => {
    const facts = randomProperties(random, ["browser", "os"]);
    const hour = below(hours);
    const properties = { ...facts, device: pick(["mobile", "desktop"]) };
    return {
      name: pick(["page_view", "page_view", "click", "$scroll_depth"]),
      timeMs: fromMs + hour * hourMs + below(4) * 500,
      userId: chance(0.9) ? `u${below(9)}` : null,
      sessionId: chance(0.9) ? `s${Math.floor(hour / sessionHours)}.${below(30)}` : null,
      country: pick(["DE", "FR", null]),
      properties: chance(0.9) ? properties : null,
      eventId: null,
    };
  });
}
