import type { ScanResult } from "../schema";

/**
 * Recommendations that follow from the events of a plan: each is given when the plan has the events that it builds on.
 */

type Events = ReadonlySet<string>;
interface Following {
  readonly after: string;
}
const given = <T extends Following>(list: readonly T[], events: Events): Omit<T, "after">[] =>
  list.filter(({ after }) => events.has(after)).map(({ after: _, ...entry }) => entry);

interface Funnel {
  readonly name: string;
  readonly steps: readonly string[];
  readonly decision: string;
  readonly bottleneck_detection: string;
}

const funnels: readonly Funnel[] = [
  {
    name: "Visit to account",
    steps: ["page_view", "signup_started", "signup"],
    decision: "Decide whether to improve the pages before sign-up or the sign-up itself.",
    bottleneck_detection:
      'POST /funnel with breakdown "utm_source": the step with the largest drop, by source.',
  },
  {
    name: "Visit to checkout",
    steps: ["page_view", "checkout_started"],
    decision: "Decide which products and sources to promote.",
    bottleneck_detection:
      'POST /funnel with breakdown "utm_source": which visitors never reach the checkout.',
  },
  {
    name: "Prices to request",
    steps: ["page_view", "lead_form_started"],
    decision: "Decide which content and campaigns to extend.",
    bottleneck_detection:
      'POST /funnel with breakdown "path": pages that are read and lead nowhere.',
  },
  {
    name: "Documentation to installation",
    steps: ["docs_opened", "install_started"],
    decision: "Decide whether the documentation leads to first use.",
    bottleneck_detection:
      'POST /funnel with breakdown "path": where readers of the documentation stop.',
  },
  {
    name: "Visit to first step",
    steps: ["page_view", "primary_cta_clicked"],
    decision: "Decide whether the start page makes the next step clear.",
    bottleneck_detection:
      'POST /funnel with breakdown "utm_source": visitors whom the start page does not reach.',
  },
];
const funnelsMax = 3;

export const funnelsFor = (events: Events): ScanResult["goal_driven_funnels"] =>
  funnels
    .filter(({ steps }) => steps.every((step) => step === "page_view" || events.has(step)))
    .slice(0, funnelsMax)
    .map(({ steps, ...funnel }) => ({ ...funnel, steps: [...steps] }));

export const businessEventsFor = (events: Events): ScanResult["business_events_later"] =>
  given(
    [
      {
        after: "signup",
        event: "account_activated",
        why: "An account is only valuable once its owner uses the product.",
        where_to_instrument: "Server-side POST /track, where the first useful action is stored.",
      },
      {
        after: "checkout_started",
        event: "purchase",
        why: "Only the server can confirm a payment.",
        where_to_instrument:
          "Server-side POST /track, where the payment is confirmed, with value and currency.",
      },
      {
        after: "pricing_viewed",
        event: "subscription_started",
        why: "It links payments to the sources of visitors.",
        where_to_instrument: "Server-side POST /track, in the webhook of the payment provider.",
      },
      {
        after: "lead_form_started",
        event: "lead_qualified",
        why: "Not every request becomes a customer; mark the good ones.",
        where_to_instrument: "Server-side POST /track, where the request is accepted.",
      },
      {
        after: "newsletter_signup_started",
        event: "newsletter_confirmed",
        why: "A subscription only counts once its email is confirmed.",
        where_to_instrument: "Server-side POST /track, behind the link of the confirmation.",
      },
    ],
    events,
  );

export const laterFor = (events: Events): ScanResult["advanced_tracking_later"] => [
  ...given(
    [
      {
        after: "signup",
        capability: "One user across devices",
        why: "Links visits before and after the sign-up.",
        implementation_hint: 'Call aa.identify("<id of the user>") after each log-in.',
      },
      {
        after: "checkout_started",
        capability: "Buyers by kind",
        why: "A property on all later events distinguishes new from returning customers.",
        implementation_hint: 'Call aa.set({ customer: "returning" }) when you know it.',
      },
    ],
    events,
  ),
  {
    capability: "How fast pages are for visitors",
    why: "A slow page loses visitors before anything on it can work.",
    implementation_hint: 'Add data-track-vitals="true" to the script tag.',
  },
];

export const testsFor = (events: Events): ScanResult["suggested_ab_tests"] =>
  given(
    [
      {
        after: "primary_cta_clicked",
        name: "main-call",
        hypothesis:
          "A call to action that names the result brings more visitors to the first step.",
        variants: ["control", "result"],
        success_event: "primary_cta_clicked",
      },
      {
        after: "signup_started",
        name: "sign-up-words",
        hypothesis: "Saying that no payment details are needed brings more visitors to begin.",
        variants: ["control", "no-card"],
        success_event: "signup_started",
      },
      {
        after: "checkout_started",
        name: "delivery-beside-price",
        hypothesis: "Delivery and returns beside the price bring more visitors to the checkout.",
        variants: ["control", "delivery"],
        success_event: "checkout_started",
      },
    ],
    events,
  );
