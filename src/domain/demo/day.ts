/*
 * The demo's last date is whole.
 * Decision: the seed has today's events up to midnight, though some are of hours to come.
 * Because: the same date has the same data on every server and at every hour.
 * Cost: an hour chart of today goes on to midnight.
 */

import { dayMs, hourMs, minuteMs, secondMs } from "../../lib/clock";
import type { ObjectEvent, Properties } from "../event";
import { exposureEvent } from "../experiment";
import { type Choices, Draw } from "./draw";
import { amountOf, buyPercentOf, troublesOf, vitalsOf } from "./happenings";
import { demoExperiment, isFirstVisit, type Visitor, visitorOf } from "./visitor";

/** The least number of sessions on each of them. */
export const demoSessionsMin = 80;

/** An event of the demo always has properties, like those of the tracker. */
export type DemoEvent = ObjectEvent & { readonly properties: Properties };

/** The events of one date of the demo's site, which are always the same. */
export interface DemoDay {
  /** The events in order of time. */
  readonly events: readonly DemoEvent[];
  readonly crawlers: readonly DemoCrawler[];
}
interface DemoCrawler {
  readonly category: string;
  readonly actor: string;
  readonly requests: number;
  readonly lastSeenAtMs: number;
}

export const demoOrigin = "https://demo.example.com";

const titles: ReadonlyMap<string, string> = new Map([
  ["/", "Acme: invoices without the paperwork"],
  ["/features", "Features"],
  ["/pricing", "Pricing"],
  ["/blog/late-payments", "Why invoices are paid late"],
  ["/docs", "Documentation"],
  ["/signup", "Create your account"],
  ["/welcome", "Welcome"],
  ["/checkout", "Your order"],
  ["/thanks", "Thank you"],
]);
const entries: Choices<string> = [
  ["/", 52],
  ["/blog/late-payments", 20],
  ["/pricing", 14],
  ["/docs", 9],
  ["/features", 5],
];
const followers: Choices<string> = [
  ["/pricing", 38],
  ["/features", 27],
  ["/docs", 15],
  ["/", 12],
  ["/blog/late-payments", 8],
];
const lengths: Choices<number> = [
  [1, 40],
  [2, 22],
  [3, 18],
  [4, 12],
  [5, 8],
];
/** The hours in UTC at which a hundred visits begin. None begins so late that it would end on another date. */
const startsByHour = [2, 2, 1, 1, 1, 2, 3, 4, 6, 7, 7, 7, 7, 8, 8, 8, 7, 6, 5, 3, 2, 2, 1];

/** This many of a hundred visits that saw the prices begin to sign up; of a hundred of these, this many finish. */
const startPercent = { [demoExperiment.control]: 30, [demoExperiment.variant]: 44 };
const finishPercent = { [demoExperiment.control]: 50, [demoExperiment.variant]: 56 };
const startPercentElsewhere = 5;
/** The percentage of page views with Web Vitals, and that of orders whose last page the visitor loads again. */
const vitalsPercent = 15;
const repeatPercent = 6;
/** The percentage of a campaign visitor's later visits that use the campaign's link again. */
const campaignAgainPercent = 50;

const crawlers = [
  ["ai_agent", "GPTBot", 40],
  ["ai_agent", "ClaudeBot", 28],
  ["ai_agent", "PerplexityBot", 12],
  ["search_crawler", "Googlebot", 60],
  ["search_crawler", "Bingbot", 22],
  ["social_preview", "Slackbot", 9],
  ["social_preview", "LinkedInBot", 5],
] as const;

export function demoDay(day: number): DemoDay {
  const events: DemoEvent[] = [];
  const sessions = sessionsOf(day);
  for (let place = 0; place < sessions; place++) events.push(...new Visit(day, place).walk());
  events.sort((a, b) => a.timeMs - b.timeMs);
  return { events, crawlers: crawlersOf(day) };
}

/** Draws the number of sessions, which is lower at weekends. */
function sessionsOf(day: number): number {
  const weekday = (day + 4) % 7;
  const isWeekend = weekday === 0 || weekday === 6;
  return demoSessionsMin + new Draw(day, 3).between(0, 25) + (isWeekend ? 0 : 30);
}

function crawlersOf(day: number): DemoCrawler[] {
  const draw = new Draw(day, 4);
  return crawlers.map(([category, actor, most]) => ({
    category,
    actor,
    requests: draw.between(Math.ceil(most / 2), most),
    // Early, as today's is told at five past midnight.
    lastSeenAtMs: day * dayMs + draw.below(5 * minuteMs),
  }));
}

/** One visit: pages, perhaps the experiment, a sign-up, an order; and the tracker's own events on its pages. */
class Visit {
  readonly #draw: Draw;
  readonly #visitor: Visitor;
  readonly #isFirst: boolean;
  /** Tells whether the visit begins with a link on another site or in a mail. */
  readonly #hasSource: boolean;
  readonly #sessionId: string;
  readonly #events: DemoEvent[] = [];
  #timeMs: number;
  #isExposed = false;
  readonly #day: number;

  constructor(day: number, place: number) {
    this.#day = day;
    this.#draw = new Draw(day, place, 5);
    this.#isFirst = isFirstVisit(day, place);
    this.#visitor = this.#isFirst ? visitorOf(day, place) : this.#returning(day, place);
    this.#hasSource = this.#isFirst || this.#followsCampaign();
    this.#sessionId = `visit_${day.toString(36)}_${place.toString(36)}`;
    const hour = this.#draw.pickIndex(startsByHour);
    this.#timeMs = day * dayMs + hour * hourMs + this.#draw.below(hourMs);
  }

  walk(): readonly DemoEvent[] {
    let path = this.#draw.pick(entries);
    this.#see(path);
    for (let pages = this.#draw.pick(lengths); pages > 1; pages--) {
      const next = this.#draw.pick(followers);
      path = next === path ? "/pricing" : next;
      this.#see(path);
    }
    if (this.#draw.percent(this.#startPercent())) this.#signUp();
    const sawPrices = this.#isExposed && !this.#isFirst;
    if (sawPrices && this.#draw.percent(buyPercentOf(this.#visitor))) this.#buy();
    return this.#events;
  }

  #see(path: string): void {
    this.#add("page_view", path);
    if (this.#draw.percent(vitalsPercent)) {
      this.#add("$web_vitals", path, vitalsOf(this.#draw, this.#visitor, path, this.#day));
    }
    for (const { name, properties } of troublesOf(this.#draw, this.#visitor, path)) {
      this.#add(name, path, properties);
    }
    if (path !== "/pricing" || this.#isExposed) return;
    this.#isExposed = true;
    const { name } = demoExperiment;
    this.#add(exposureEvent, path, { experiment: name, variant: this.#visitor.variant });
  }

  #followsCampaign(): boolean {
    return this.#visitor.campaign !== null && this.#draw.percent(campaignAgainPercent);
  }

  #startPercent(): number {
    if (this.#events.length === 1) return 0;
    return this.#isExposed ? startPercent[this.#visitor.variant] : startPercentElsewhere;
  }

  #signUp(): void {
    this.#see("/signup");
    this.#add("signup_started", "/signup");
    if (!this.#draw.percent(finishPercent[this.#visitor.variant])) return;
    this.#add("signup", "/signup", { plan: this.#draw.percent(70) ? "free" : "team" });
    this.#see("/welcome");
  }

  #buy(): void {
    this.#see("/checkout");
    // An error on the checkout page ends the visit without an order.
    if (this.#events.at(-1)?.name === "$error") return;
    const order = {
      order_id: `order_${this.#sessionId}`,
      amount: amountOf(this.#draw),
      currency: "EUR",
    };
    this.#see("/thanks");
    this.#add("purchase", "/thanks", order);
    // Somebody who loads the page again sends the order a second time: a goal counts it once per order_id.
    if (this.#draw.percent(repeatPercent)) this.#add("purchase", "/thanks", order);
  }

  /** Somebody whose first visit was on one of the days before. */
  #returning(day: number, place: number): Visitor {
    for (let tries = 0; tries < 10; tries++) {
      const [firstDay, firstPlace] = [
        day - this.#draw.between(1, 12),
        this.#draw.below(demoSessionsMin),
      ];
      if (isFirstVisit(firstDay, firstPlace)) return visitorOf(firstDay, firstPlace);
    }
    return visitorOf(day, place);
  }

  #add(name: string, path: string, more: Readonly<Record<string, string | number>> = {}): void {
    const { id, country, browser, os, device, language, referrer, campaign } = this.#visitor;
    const isSource = this.#hasSource && this.#events.length === 0;
    this.#events.push({
      name,
      timeMs: this.#timeMs,
      userId: id,
      sessionId: this.#sessionId,
      country,
      properties: {
        path,
        url: `${demoOrigin}${path}`,
        hostname: "demo.example.com",
        title: titles.get(path) ?? path,
        referrer: isSource ? referrer : "",
        browser,
        os,
        device,
        language,
        ...(isSource && campaign),
        ...more,
      },
      eventId: null,
    });
    this.#timeMs += this.#draw.between(8 * secondMs, 100 * secondMs);
  }
}
