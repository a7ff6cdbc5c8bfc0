/*
 * The plan is rules, one entry a signal.
 * Decision: `plan/signals.ts` is the table, in a fixed order; an element carries one recommendation, the first.
 * Because: equal pages must give equal bytes, and a person must be able to say why a plan is as it is.
 * Cost: a site in words that `plan/words.ts` does not know gets the general plan.
 * Revisit: word by word; each saved site in `test/scans` has its plan in a file (`bun test/scans/write.ts`).
 */

import type { Page } from "../reading/page";
import {
  asksForAddress,
  asksForContact,
  asksForWords,
  asksPassword,
  firstPart,
  type Hit,
  isAbout,
  isDocsHost,
  isDownload,
  isFirstLink,
  isForm,
  isPriceTable,
  isProminent,
  isVideo,
  onSender,
  registers,
  sectionAfterHero,
  type Taken,
} from "./matchers";

/** The ways in which the tracker, or a server, records an event. */
type Means = "click" | "impression" | "call" | "server";

export interface Signal {
  readonly event: string;
  readonly means: Means;
  /** A description of what on a page indicates it. */
  readonly seenAs: string;
  /** Finds it on the pages; null when it is not there. Parts that are taken carry another event already. */
  find(pages: readonly Page[], taken: Taken): Hit | null;
}

/**
 * Signs on a site of what its visitors may want, and the events that measure it. The order matters: the
 * first that are found fill a plan.
 */
export const signals: readonly Signal[] = [
  {
    event: "signup_started",
    means: "click",
    seenAs: "a sign-up link or form",
    find: (pages, taken) =>
      firstPart(pages, taken, isAbout("signUp")) ??
      onSender(firstPart(pages, taken, isForm(registers))),
  },
  {
    event: "signup",
    means: "server",
    seenAs: "a password or registration form",
    find: (pages) => firstPart(pages, nothing, isForm(registers), isForm(asksPassword)),
  },
  {
    event: "checkout_started",
    means: "click",
    seenAs: "a cart, checkout or buy button",
    find: (pages, taken) =>
      firstPart(pages, taken, isAbout("checkout"), isAbout("buy"), isAbout("cart")),
  },
  {
    event: "pricing_viewed",
    means: "impression",
    seenAs: "a price table or a link to the prices",
    find: (pages, taken) =>
      firstPart(pages, taken, isPriceTable) ??
      elsewhere(firstPart(pages, nothing, isAbout("pricing"))),
  },
  {
    event: "lead_form_started",
    means: "click",
    seenAs: "a demo, contact or lead form",
    find: (pages, taken) =>
      onSender(firstPart(pages, taken, isForm(asksForContact))) ??
      firstPart(pages, taken, isAbout("lead")),
  },
  {
    event: "newsletter_signup_started",
    means: "click",
    seenAs: "a newsletter field",
    find: (pages, taken) => {
      const hit = onSender(firstPart(pages, taken, isForm(asksForAddress)));
      return hit?.part != null && taken.has(hit.part) ? null : hit;
    },
  },
  {
    event: "install_started",
    means: "click",
    seenAs: "a download or install link",
    find: (pages, taken) => firstPart(pages, taken, isDownload, isAbout("download")),
  },
  {
    event: "docs_opened",
    means: "click",
    seenAs: "a link to documentation or a quick start",
    find: (pages, taken) => firstPart(pages, taken, isAbout("docs"), isDocsHost),
  },
  {
    event: "demo_video_started",
    means: "call",
    seenAs: "a video",
    find: (pages, taken) => firstPart(pages, taken, isVideo),
  },
  {
    event: "primary_cta_clicked",
    means: "click",
    seenAs: "a prominent button or link",
    find: (pages, taken) => firstPart(pages, taken, isProminent, isFirstLink),
  },
  {
    event: "value_section_seen",
    means: "impression",
    seenAs: "a section after the first screen",
    find: sectionAfterHero,
  },
  {
    event: "secondary_cta_clicked",
    means: "click",
    seenAs: "a search field or a second prominent button",
    find: (pages, taken) =>
      onSender(firstPart(pages, taken, isForm(asksForWords))) ??
      firstPart(pages, taken, isProminent),
  },
];

const nothing: Taken = new Set();

/** Returns the page that a link leads to, in place of the link. */
function elsewhere(hit: Hit | null): Hit | null {
  if (hit === null || hit.part === null) return null;
  const { target } = hit.part;
  if (target === null) return hit;
  const isPart = target.pathname === hit.page.url.pathname && target.hash.length > 1;
  return {
    page: hit.page,
    part: null,
    path: isPart ? target.pathname + target.hash : target.pathname,
  };
}
