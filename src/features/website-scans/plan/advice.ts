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
    why: "Sign-up is the step this site leads to; its start tells interest apart from reading.",
    blindspot: "Nobody can say which pages and campaigns bring visitors who want an account.",
    unlocks: ["Which sources start the most sign-ups?", "On which page does sign-up begin?"],
    capability: "The agent can rank sources and landing pages by sign-ups that were begun.",
    properties: ["placement"],
    question: "Which sources and pages bring visitors who begin to sign up?",
    revisitWhen: "the site offers accounts",
  },
  signup: {
    why: "An account that exists is a lasting outcome, and only the server knows it for sure.",
    blindspot: "Sign-ups that were begun and never finished look like those that succeeded.",
    unlocks: ["How many who begin to sign up finish?", "Which sources bring accounts, not clicks?"],
    capability:
      "The agent can compute conversion from visit to account, and retention of accounts.",
    properties: ["plan", "method"],
    question: "How many visitors become accounts, and where do the others stop?",
    revisitWhen: "visitors can register",
  },
  checkout_started: {
    why: "Going to pay is the strongest sign of intent that a shop has before the order itself.",
    blindspot: "Visits that end with a full cart cannot be told from visits that only look.",
    unlocks: [
      "Which products and sources lead to a checkout?",
      "How many visits reach the checkout?",
    ],
    capability: "The agent can find the step before payment at which buyers are lost.",
    properties: ["product", "value", "currency"],
    question: "Which products and sources bring visitors to the checkout?",
    revisitWhen: "something can be bought",
  },
  pricing_viewed: {
    why: "Who looks at prices compares offers; it is the best early sign of a customer.",
    blindspot: "A page view of the prices does not say whether the prices came into sight.",
    unlocks: [
      "What do visitors do after they saw the prices?",
      "Which sources bring comparing visitors?",
    ],
    capability: "The agent can compare visitors who saw prices with all others, step by step.",
    properties: ["plan"],
    question: "What do visitors do after they have seen the prices?",
    revisitWhen: "the site shows prices",
  },
  lead_form_started: {
    why: "A request to be contacted is worth more than any number of page views.",
    blindspot: "It is unknown which content leads to a request, and where requests are given up.",
    unlocks: ["Which pages come before a request?", "Which campaigns bring requests?"],
    capability: "The agent can attribute requests to sources and to the pages read before.",
    properties: ["form"],
    question: "Which content and campaigns lead to requests?",
    revisitWhen: "visitors can ask to be contacted",
  },
  newsletter_signup_started: {
    why: "A subscriber comes back without an advertisement.",
    blindspot: "It is unknown which articles win readers who want more.",
    unlocks: ["Which pages win subscribers?", "Do subscribers come back more often?"],
    capability: "The agent can name the content that turns readers into subscribers.",
    properties: ["placement"],
    question: "Which content turns readers into subscribers?",
    revisitWhen: "there is a newsletter",
  },
  install_started: {
    why: "A download is the moment at which a visitor becomes a user.",
    blindspot: "Interest in the product ends at the edge of the site, unseen.",
    unlocks: ["Which pages lead to a download?", "Which platforms are wanted?"],
    capability: "The agent can rank sources and pages by downloads that were begun.",
    properties: ["platform", "version"],
    question: "Which pages and sources lead to installations?",
    revisitWhen: "there is something to install",
  },
  docs_opened: {
    why: "Visitors who open documentation evaluate the product in earnest.",
    blindspot: "Evaluation by developers cannot be told from passing interest.",
    unlocks: ["Do readers of the documentation sign up more often?", "From where do they come?"],
    capability: "The agent can compare visitors who read documentation with those who do not.",
    properties: ["topic"],
    question: "Do visitors who read the documentation go further than others?",
    revisitWhen: "there is documentation",
  },
  demo_video_started: {
    why: "A video that was started shows interest that a page view cannot show.",
    blindspot: "It is unknown whether the video is watched, and whether it convinces.",
    unlocks: ["Do visitors who watch go on?", "How many start the video at all?"],
    capability: "The agent can compare visitors who watched with those who did not.",
    properties: ["video"],
    question: "Does the video bring visitors further?",
    revisitWhen: "a page has a video",
  },
  primary_cta_clicked: {
    why: "The most prominent button says what the page is for; its clicks say whether that works.",
    blindspot: "It is unknown how many visitors take the step that the page asks them to take.",
    unlocks: ["How many visitors follow the main call?", "Which sources bring those who do?"],
    capability: "The agent can measure the start page by the one click that matters.",
    properties: ["placement"],
    question: "How many visitors take the first step that the start page offers?",
    revisitWhen: "the start page has a button that leads further",
  },
  value_section_seen: {
    why: "It tells visitors who read on from those who leave at the first screen.",
    blindspot: "It is unknown whether anything below the first screen is ever seen.",
    unlocks: ["How many visitors read on?", "Do those who read on go further?"],
    capability:
      "The agent can say whether the first screen loses visitors or the rest of the page.",
    properties: ["section"],
    question: "How many visitors read beyond the first screen?",
    revisitWhen: "the start page is longer than one screen",
  },
  secondary_cta_clicked: {
    why: "What visitors choose beside the main call shows what they came for.",
    blindspot: "Visitors who want something else than the main call are invisible.",
    unlocks: [
      "What do visitors choose instead of the main call?",
      "Which of the two leads further?",
    ],
    capability: "The agent can compare the two ways that the page offers.",
    properties: ["placement"],
    question: "What do visitors look for who do not follow the main call?",
    revisitWhen: "the page offers a second way",
  },
};
