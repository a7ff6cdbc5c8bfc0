import { type Choices, Draw } from "./draw";

/** A visitor of the demo's site, who is known by the date and the number of the first visit. */
export interface Visitor {
  readonly id: string;
  readonly country: string;
  /** The site that a first visit came from; empty when the address was typed in. */
  readonly referrer: string;
  /** The campaign whose link led to the first visit; null without one. */
  readonly campaign: Campaign | null;
  readonly browser: string;
  readonly os: string;
  readonly device: string;
  readonly language: string;
  /** The variant that the tracker would assign. */
  readonly variant: DemoVariant;
}

export interface Campaign {
  readonly utm_source: string;
  readonly utm_medium: string;
  readonly utm_campaign: string;
}

type DemoVariant = typeof demoExperiment.control | typeof demoExperiment.variant;

export const demoExperiment = {
  id: "exp_demo_signup_cta",
  name: "signup_cta",
  goal: "signup",
  control: "control",
  variant: "start_free",
} as const;

const countries: Choices<readonly [country: string, language: string]> = [
  [["US", "en-US"], 32],
  [["DE", "de-DE"], 14],
  [["GB", "en-GB"], 12],
  [["IN", "en-IN"], 11],
  [["FR", "fr-FR"], 9],
  [["BR", "pt-BR"], 8],
  [["CA", "en-CA"], 7],
  [["JP", "ja-JP"], 7],
];
const campaignOf = (utm_source: string, utm_medium: string, utm_campaign: string): Campaign => ({
  ...{ utm_source, utm_medium, utm_campaign },
});
/** Its readers buy more often than other visitors, and those from the ad less often: a report on campaigns shows it. */
export const newsletter = campaignOf("newsletter", "email", "late-payments");
export const searchAd = campaignOf("google", "cpc", "invoice-software");
const sources: Choices<readonly [referrer: string, campaign: Campaign | null]> = [
  [["", null], 30],
  [["https://www.google.com/", null], 24],
  [["https://www.google.com/", searchAd], 12],
  [["https://news.ycombinator.com/", null], 12],
  [["https://github.com/", null], 11],
  [["https://newsletter.example.com/", newsletter], 11],
];
const machines: Choices<readonly [browser: string, os: string, device: string]> = [
  [["Chrome", "Windows", "desktop"], 30],
  [["Chrome", "macOS", "desktop"], 18],
  [["Safari", "macOS", "desktop"], 12],
  [["Firefox", "Linux", "desktop"], 9],
  [["Safari", "iOS", "mobile"], 19],
  [["Chrome", "Android", "mobile"], 12],
];

/** Visits that are first ones, of a hundred. */
const newPercent = 66;

export function visitorOf(day: number, place: number): Visitor {
  const draw = new Draw(day, place, 1);
  const id = `visitor_${day.toString(36)}_${place.toString(36)}`;
  const [country, language] = draw.pick(countries);
  const [referrer, campaign] = draw.pick(sources);
  const [browser, os, device] = draw.pick(machines);
  const variant = variantOf(id);
  return { id, country, referrer, campaign, browser, os, device, language, variant };
}

/** Tells whether a visit of a date is its visitor's first. */
export const isFirstVisit = (day: number, place: number): boolean =>
  new Draw(day, place, 2).percent(newPercent);

function variantOf(userId: string): DemoVariant {
  let hash = 0;
  for (const unit of `${demoExperiment.name}.${userId}`) {
    hash = (Math.imul(31, hash) + unit.charCodeAt(0)) | 0;
  }
  return Math.abs(hash) % 100 < 50 ? demoExperiment.control : demoExperiment.variant;
}
