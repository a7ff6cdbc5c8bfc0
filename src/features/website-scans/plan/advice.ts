/** The use of each event of the table. None of it comes from a page, so it is the same for every site. */
export interface Advice {
  readonly why: string;
  readonly blindspot: string;
  readonly unlocks: readonly string[];
  readonly capability: string;
  readonly properties: readonly string[];
  /** The question of a person whose site has this. */
  readonly question: string;
  /** When to come back to it, for a site that does not show it. */
  readonly revisitWhen: string;
}

export const adviceOf: Readonly<Record<string, Advice>> = {
  signup_started: {
    why: "Sign-up is the goal of this site; starting it shows more interest than reading.",
    blindspot: "You cannot see which pages and campaigns bring visitors who want an account.",
    unlocks: ["Which sources start the most sign-ups?", "On which page does sign-up begin?"],
    capability: "The agent can rank sources and landing pages by started sign-ups.",
    properties: ["placement"],
    question: "Which sources and pages bring visitors who begin to sign up?",
    revisitWhen: "the site offers accounts",
  },
  signup: {
    why: "A created account is a lasting result that only the server can confirm.",
    blindspot: "Abandoned sign-ups look like successful ones.",
    unlocks: [
      "How many started sign-ups are completed?",
      "Which sources bring accounts, not clicks?",
    ],
    capability:
      "The agent can compute conversion from visit to account, and retention of accounts.",
    properties: ["plan", "method"],
    question: "How many visitors become accounts, and where do the others stop?",
    revisitWhen: "visitors can register",
  },
  checkout_started: {
    why: "Starting the checkout is the strongest sign of intent before an order.",
    blindspot: "You cannot distinguish abandoned carts from visits that only browse.",
    unlocks: [
      "Which products and sources lead to a checkout?",
      "How many visits reach the checkout?",
    ],
    capability: "The agent can find the step before payment where buyers leave.",
    properties: ["product", "value", "currency"],
    question: "Which products and sources bring visitors to the checkout?",
    revisitWhen: "something can be bought",
  },
  pricing_viewed: {
    why: "Visitors who look at prices compare offers; it is the best early sign of a customer.",
    blindspot: "A page view does not show whether the prices were visible.",
    unlocks: [
      "What do visitors do after they see the prices?",
      "Which sources bring visitors who compare prices?",
    ],
    capability: "The agent can compare visitors who saw prices with all others, step by step.",
    properties: ["plan"],
    question: "What do visitors do after they have seen the prices?",
    revisitWhen: "the site shows prices",
  },
  lead_form_started: {
    why: "A request to be contacted is worth more than any number of page views.",
    blindspot: "You cannot see which content leads to a request, and where visitors abandon it.",
    unlocks: ["Which pages come before a request?", "Which campaigns bring requests?"],
    capability: "The agent can attribute requests to sources and to the pages read before.",
    properties: ["form"],
    question: "Which content and campaigns lead to requests?",
    revisitWhen: "visitors can ask to be contacted",
  },
  newsletter_signup_started: {
    why: "A subscriber comes back without an advertisement.",
    blindspot: "You cannot see which articles win subscribers.",
    unlocks: ["Which pages win subscribers?", "Do subscribers come back more often?"],
    capability: "The agent can name the content that turns readers into subscribers.",
    properties: ["placement"],
    question: "Which content turns readers into subscribers?",
    revisitWhen: "there is a newsletter",
  },
  install_started: {
    why: "A download is the moment at which a visitor becomes a user.",
    blindspot: "You cannot see interest in the product beyond the site.",
    unlocks: ["Which pages lead to a download?", "Which platforms are wanted?"],
    capability: "The agent can rank sources and pages by started downloads.",
    properties: ["platform", "version"],
    question: "Which pages and sources lead to installations?",
    revisitWhen: "the site offers a download",
  },
  docs_opened: {
    why: "Visitors who open the documentation seriously evaluate the product.",
    blindspot: "You cannot distinguish an evaluation by developers from casual interest.",
    unlocks: ["Do readers of the documentation sign up more often?", "Where do they come from?"],
    capability: "The agent can compare visitors who read documentation with those who do not.",
    properties: ["topic"],
    question: "Do visitors who read the documentation go further than others?",
    revisitWhen: "there is documentation",
  },
  demo_video_started: {
    why: "Starting a video shows more interest than a page view.",
    blindspot: "You cannot see whether visitors watch the video, and whether it convinces them.",
    unlocks: ["Do visitors who watch go on?", "How many start the video at all?"],
    capability: "The agent can compare visitors who watched with those who did not.",
    properties: ["video"],
    question: "Does the video lead visitors to the next step?",
    revisitWhen: "a page has a video",
  },
  primary_cta_clicked: {
    why: "The most prominent button shows the purpose of the page; its clicks show whether the page works.",
    blindspot: "You cannot see how many visitors take the step that the page suggests.",
    unlocks: [
      "How many visitors follow the call to action?",
      "Which sources bring these visitors?",
    ],
    capability: "The agent can measure the start page by the one click that matters.",
    properties: ["placement"],
    question: "How many visitors take the first step that the start page offers?",
    revisitWhen: "the start page has a button to another page",
  },
  value_section_seen: {
    why: "It distinguishes visitors who read on from visitors who leave at the first screen.",
    blindspot: "You cannot see whether visitors see anything below the first screen.",
    unlocks: ["How many visitors read on?", "Do those who read on go further?"],
    capability: "The agent can find out whether visitors leave at the first screen or later.",
    properties: ["section"],
    question: "How many visitors read beyond the first screen?",
    revisitWhen: "the start page is longer than one screen",
  },
  secondary_cta_clicked: {
    why: "A choice other than the call to action shows why visitors came.",
    blindspot: "You cannot see visitors who want something other than the call to action.",
    unlocks: [
      "What do visitors choose instead of the call to action?",
      "Which of the two leads further?",
    ],
    capability: "The agent can compare the two options of the page.",
    properties: ["placement"],
    question: "What do visitors look for if they do not follow the call to action?",
    revisitWhen: "the page offers a second option",
  },
};
