import { dayMs } from "../../src/lib/clock";
import { type Random, randomFrom } from "../support/random/random";

/** What a data set is made from; equal shapes give equal events, byte for byte. */
export interface Shape {
  readonly seed: number;
  readonly events: number;
  readonly users: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Sessions under way at a time. */
  readonly sessionsAtOnce: number;
}

/** An event as it goes over the wire, and the country of the visitor who sends it. */
export interface WireEvent {
  readonly json: string;
  readonly country: string;
  readonly timeMs: number;
}

interface Session {
  readonly head: string;
  readonly properties: string;
  readonly country: string;
  readonly page: number;
  readonly experiment: string;
  readonly variant: string;
  remaining: number;
}

/** With 10M events in 90 days, a visitor then acts about every 50 seconds. */
export const usualSessions = 64;
const bounceShare = 0.35;
/** The events of a session that does not bounce. */
const eventsLeast = 3;
const eventsMost = 16;

/**
 * The events of a project in order of time: sessions interleaved as live traffic interleaves them, 300 pages, returning
 * visitors, 15 properties and about 612 bytes each. Nothing is kept but the sessions under way.
 */
export function* wireEvents(shape: Shape): Generator<WireEvent> {
  const random = randomFrom(shape.seed);
  const visitors = { seen: 0 };
  const active = Array.from({ length: Math.min(shape.sessionsAtOnce, shape.events) }, () =>
    newSession(shape, random, visitors, shape.fromMs),
  );
  const gapMs = (shape.toMs - shape.fromMs) / shape.events;
  for (let index = 0; index < shape.events; index++) {
    const timeMs = Math.floor(shape.fromMs + (index + random.below(1_000) / 1_000) * gapMs);
    const slot = random.below(active.length);
    let session = active[slot];
    if (session.remaining === 0) {
      session = newSession(shape, random, visitors, timeMs);
      active[slot] = session;
    }
    session.remaining--;
    yield { json: eventJson(session, random, timeMs), country: session.country, timeMs };
  }
}

function newSession(
  { users, events, seed }: Shape,
  random: Random,
  visitors: { seen: number },
  timeMs: number,
): Session {
  const sessionsExpected = events / meanEventsPerSession;
  const isNew = visitors.seen === 0 || random.chance(Math.min(1, users / sessionsExpected));
  const user = isNew && visitors.seen < users ? visitors.seen++ : random.below(visitors.seen);
  // The number of a visitor decides everything about them: the same browser, country and language at every visit.
  const person = randomFrom(seed ^ (user * 2_654_435_761));
  const device = person.pick(devices);
  const place = person.pick(places);
  const page = random.below(pages.length);
  const campaign = random.pick(campaigns);
  return {
    head:
      `"user_id":"anon_${code(person, 11)}_${user.toString(36)}",` +
      `"session_id":"sess_${code(random, 12)}_${timeMs.toString(36)}"`,
    properties:
      `"hostname":"www.example.com","screen":"${device.screen}","language":"${place.language}",` +
      `"timezone":"${place.timezone}","browser":"${device.browser}","browser_version":"${128 + person.below(12)}",` +
      `"os":"${device.os}","device":"${device.kind}","session_count":${1 + random.below(12)},` +
      `"utm_source":"${campaign}"`,
    country: place.country,
    page,
    experiment: person.pick(experiments),
    variant: person.pick(variants),
    remaining: random.chance(bounceShare) ? 1 : random.between(eventsLeast, eventsMost),
  };
}

const meanEventsPerSession = bounceShare + ((1 - bounceShare) * (eventsLeast + eventsMost)) / 2;

function eventJson(session: Session, random: Random, timeMs: number): string {
  const page = pages[(session.page + random.below(8)) % pages.length];
  const kind = random.below(100);
  const own =
    kind < 60
      ? `"page_view","properties":{"page":"${page.title}"`
      : kind < 62
        ? `"$experiment_exposure","properties":{"experiment":"${session.experiment}","variant":"${session.variant}"`
        : kind < 74
          ? `"$scroll_depth","properties":{"scroll_depth":${random.below(101)}`
          : kind < 84
            ? `"$time_on_page","properties":{"time_on_page":${15 * (1 + random.below(20))}`
            : kind < 92
              ? `"cta_click","properties":{"label":"${random.pick(labels)}"`
              : kind < 97
                ? `"sign_up_started","properties":{"plan":"${random.pick(plans)}"`
                : `"purchase","properties":{"plan":"${random.pick(plans)}","order_id":"ord_${code(random, 12)}",` +
                  `"amount":${cents(random)}`;
  return (
    `{"event":${own},"url":"https://www.example.com${page.path}","referrer":"${random.pick(referrers)}",` +
    `"path":"${page.path}","title":"${page.title}",${session.properties}},${session.head},` +
    `"timestamp":${timeMs},"event_id":"${code(random, 20)}"}`
  );
}

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
function code(random: Random, length: number): string {
  let text = "";
  while (text.length < length) text += alphabet[random.below(36)];
  return text;
}

/** What a purchase costs: most have cents, which doubles add in no exact way. */
const cents = (random: Random): number => (100 + random.below(50_000)) / 100;

const topics =
  "analytics privacy pricing events funnels retention sessions agents export self-hosting".split(
    " ",
  );
const pages = Array.from({ length: 300 }, (_, index) => {
  const topic = topics[index % topics.length];
  return {
    path: `/${["docs", "blog", "guides"][index % 3]}/${topic}/how-to-read-${topic}-${index}`,
    title: `How to read ${topic}, part ${index} | Example`,
  };
});
export const referrers = [
  "",
  "https://www.google.com/",
  "https://duckduckgo.com/",
  "https://news.ycombinator.com/item",
  "https://www.example.com/",
];
export const campaigns = ["", "newsletter", "launch-week", "partner-network", "search-ads"];
const labels = ["start free trial", "read the guide", "book a demo", "see pricing"];
/** Each visitor meets one of them. */
const experiments = ["signup_7", "signup_30", "signup_90"];
export const variants = ["control", "clear"];
const plans = ["free", "starter", "team", "business"];
const devices = [
  { kind: "desktop", screen: "1920x1080", browser: "Chrome", os: "Windows" },
  { kind: "desktop", screen: "2560x1440", browser: "Firefox", os: "Linux" },
  { kind: "desktop", screen: "1512x982", browser: "Safari", os: "macOS" },
  { kind: "desktop", screen: "1536x864", browser: "Edge", os: "Windows" },
  { kind: "mobile", screen: "390x844", browser: "Safari", os: "iOS" },
  { kind: "mobile", screen: "412x915", browser: "Chrome", os: "Android" },
  { kind: "tablet", screen: "820x1180", browser: "Safari", os: "iOS" },
];
const places = [
  { country: "US", language: "en-US", timezone: "America/New_York" },
  { country: "US", language: "en-US", timezone: "America/Los_Angeles" },
  { country: "DE", language: "de-DE", timezone: "Europe/Berlin" },
  { country: "GB", language: "en-GB", timezone: "Europe/London" },
  { country: "FR", language: "fr-FR", timezone: "Europe/Paris" },
  { country: "IN", language: "en-IN", timezone: "Asia/Kolkata" },
  { country: "BR", language: "pt-BR", timezone: "America/Sao_Paulo" },
  { country: "JP", language: "ja-JP", timezone: "Asia/Tokyo" },
  { country: "AU", language: "en-AU", timezone: "Australia/Sydney" },
  { country: "NL", language: "nl-NL", timezone: "Europe/Amsterdam" },
];

/** The data set, or a part of it with the same density: 0.03 users and 0.15 sessions per event. */
export const bigProject = (events: number, endMs: number): Shape => ({
  seed: 20_260_917,
  events,
  users: Math.ceil(events * 0.03),
  fromMs: endMs - 90 * dayMs,
  toMs: endMs,
  sessionsAtOnce: usualSessions,
});

/** A small site beside it: 1,000 events in the last 20 days. */
export const smallProject = (index: number, endMs: number): Shape => ({
  seed: 1_000 + index,
  events: 1_000,
  users: 60,
  fromMs: endMs - 20 * dayMs,
  toMs: endMs,
  sessionsAtOnce: usualSessions,
});
