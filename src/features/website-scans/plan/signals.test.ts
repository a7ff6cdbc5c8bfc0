import { describe, expect, test } from "bun:test";
import type { Part } from "../reading/page";
import { readPage } from "../reading/read-page";
import { hintFor } from "./hints";
import { signals } from "./signals";

interface Fixtures {
  /** Markup, and what the hint names in it. */
  readonly seen: readonly (readonly [html: string, names: string])[];
  /** Examples that look like it and are not. */
  readonly unseen: readonly string[];
}

/** One entry per row of the table, in its order. */
const fixtures: Readonly<Record<string, Fixtures>> = {
  signup_started: {
    seen: [
      [`<a href="/go">Sign up</a>`, `a[href="/go"]`],
      [`<a href="/register">Come in</a>`, `a[href="/register"]`],
      [`<button id="s">Get started free</button>`, "button#s"],
      [
        `<form action="/join"><input type="email" name="mail" placeholder="Sign up"><button>Go</button></form>`,
        `form[action="/join"] button`,
      ],
      [
        `<form id="f"><input type="password" autocomplete="new-password"><input type="submit" value="OK"></form>`,
        `input[type="submit"]`,
      ],
      [`<nav><a href="/x">Sign up</a></nav><a href="/signup">Sign up</a>`, `a[href="/signup"]`],
      [`<a href="/konto">Jetzt starten</a>`, `a[href="/konto"]`],
      [`<a href="/docs/quick-start">Get started</a><a href="/go">Get started</a>`, `a[href="/go"]`],
      [`<a href="/docs/register">Get started</a>`, `a[href="/docs/register"]`],
    ],
    unseen: [
      `<a href="/login">Log in</a>`,
      `<a href="/docs/quick-start">Get started</a>`,
      `<a href="https://docs.example.com/start">Get started</a>`,
      `<a href="/post">How we got sign ups to double: a long story about our product and its makers</a>`,
      `<div role="dialog"><a href="/signup">Sign up</a></div>`,
      `<a href="/signups-report">Report</a>`,
      `<template><a href="/signup">Sign up</a></template>`,
      `<form><input type="email" name="email"><input type="password"><button>Log in</button></form>`,
    ],
  },
  signup: {
    seen: [
      [`<form><input type="password"><button>Log in</button></form>`, "POST /track"],
      [
        `<form><input type="email" name="e" placeholder="Sign up with your email"></form>`,
        "POST /track",
      ],
    ],
    unseen: [
      `<input type="password">`,
      `<form><input type="email" name="email"><button>Send</button></form>`,
    ],
  },
  checkout_started: {
    seen: [
      [`<a href="/basket">Basket</a><button class="b">Checkout</button>`, "button.b"],
      [`<a href="/cart">3 items</a>`, `a[href="/cart"]`],
      [`<button name="add">Add to cart</button>`, `button[name="add"]`],
      [`<input type="submit" name="buy" value="Buy now">`, `input[name="buy"]`],
      [`<button>カートに入れる</button>`, "(button)"],
    ],
    unseen: [
      `<a href="/about">Where we carry carts of apples</a><p>Buy now</p>`,
      `<a href="/cartoon">Cartoons</a>`,
    ],
  },
  pricing_viewed: {
    seen: [
      [`<section id="tiers"><p>$5 per month</p><p>$9 per month</p></section>`, "section#tiers"],
      [`<table class="pricing"><tr><td>10 €</td><td>20 €</td></tr></table>`, "table.pricing"],
      [`<a href="/pricing">Costs</a>`, "on /pricing"],
      [`<a href="/en/plans?x=1">Plans</a>`, "on /en/plans"],
      [`<a href="#prices">Prices</a>`, "on /#prices"],
    ],
    unseen: [
      `<section class="goods"><p>$5</p><p>$9</p><p>$12</p></section>`,
      `<section class="pricing"><p>$5 per month</p></section>`,
      `<a href="/explanations">Explained</a>`,
    ],
  },
  lead_form_started: {
    seen: [
      [
        `<form id="c"><input type="email" name="e"><textarea></textarea><button>Send</button></form>`,
        "form#c button",
      ],
      [
        `<form id="c"><input name="name"><input name="phone"><input type="email" name="e"><button>Send</button></form>`,
        "form#c button",
      ],
      [`<a href="/talk">Book a demo</a>`, `a[href="/talk"]`],
      [`<a href="/contact">Write to us</a>`, `a[href="/contact"]`],
      [`<a href="/k">Kontakt</a>`, `a[href="/k"]`],
    ],
    unseen: [
      `<form><input type="email" name="email"><button>Subscribe</button></form>`,
      `<a href="/demographics">Demographics</a>`,
      `<form><input type="email" name="e"><input type="password"><textarea></textarea></form>`,
    ],
  },
  newsletter_signup_started: {
    seen: [
      [
        `<form id="n"><input type="email" name="e"><button>Subscribe</button></form>`,
        "form#n button",
      ],
      [`<form><input name="email"></form>`, `input[name="email"]`],
    ],
    unseen: [
      `<input type="email" name="email">`,
      `<form><input type="email" name="e"><textarea></textarea></form>`,
      `<form><input type="search" name="q"></form>`,
      `<form><input type="email" name="e"><input type="password"></form>`,
    ],
  },
  install_started: {
    seen: [
      [`<a href="/files/app.dmg">For Mac</a>`, `a[href="/files/app.dmg"]`],
      [
        `<a href="https://apps.apple.com/app/x">Store</a>`,
        `a[href="https://apps.apple.com/app/x"]`,
      ],
      [`<a href="/report.pdf" download>Report</a>`, `a[href="/report.pdf"]`],
      [`<a href="/get">Download</a>`, `a[href="/get"]`],
      [`<a href="/install">Set it up</a>`, `a[href="/install"]`],
    ],
    unseen: [`<a href="/report.pdf">Report</a>`, `<a href="/installments">Pay later</a>`],
  },
  docs_opened: {
    seen: [
      [`<a href="/docs/">Read</a>`, `a[href="/docs/"]`],
      [`<a href="/x">Quick start</a>`, `a[href="/x"]`],
      [`<a href="https://docs.example.org/a">Manual</a>`, `a[href="https://docs.example.org/a"]`],
    ],
    unseen: [
      `<a href="/doctors">Doctors</a>`,
      `<a href="https://example.com/documentary">Film</a>`,
    ],
  },
  demo_video_started: {
    seen: [
      [`<video id="v" src="/a.mp4"></video>`, "querySelector('video#v')"],
      [`<video><source src="/a.mp4"></video>`, "querySelector('video')"],
      [`<iframe src="https://www.youtube-nocookie.com/embed/a"></iframe>`, "When the player on /"],
      [`<iframe src="//player.vimeo.com/video/1"></iframe>`, "When the player on /"],
    ],
    unseen: [
      `<iframe src="https://maps.example.com/"></iframe>`,
      `<iframe src="https://notyoutube.com/"></iframe>`,
      `<a href="https://www.youtube.com/">Our channel</a>`,
    ],
  },
  primary_cta_clicked: {
    seen: [
      [
        `<main><h1>Hello</h1><a href="/a">A</a><a class="btn" href="/b">B</a></main>`,
        `a[href="/b"]`,
      ],
      [`<h1>Hello</h1><a href="/a">A</a>`, `a[href="/a"]`],
      [`<button id="go">Go</button>`, "button#go"],
      [`<a role="button" href="/r">R</a>`, `a[href="/r"]`],
    ],
    unseen: [
      `<nav><button>Menu</button></nav>`,
      `<a href="/a">A</a><h1>Hello</h1>`,
      `<h1>Hello</h1><footer><a href="/a">A</a></footer>`,
      `<div class="cookie-banner"><button>Accept</button></div>`,
      `<button hidden>Go</button>`,
    ],
  },
  value_section_seen: {
    seen: [
      [`<section>1</section><section id="two">2</section>`, "section#two"],
      [`<section>1</section><h2 id="h">2</h2>`, "h2#h"],
      [`<h1>Hello</h1><h2 class="more">More</h2>`, "h2.more"],
    ],
    unseen: [`<section>1</section><h1>Hello</h1>`, `<nav><h2>Menu</h2></nav>`],
  },
  secondary_cta_clicked: {
    seen: [
      [
        `<form role="search" id="s"><input type="search" name="q"><button>Find</button></form>`,
        "form#s button",
      ],
      [`<button id="second">Other</button>`, "button#second"],
    ],
    unseen: [`<form><input type="email" name="e"></form>`, `<a href="/a">A</a>`],
  },
};

test("each signal has fixtures", () => {
  expect(Object.keys(fixtures)).toEqual(signals.map(({ event }) => event));
});

const nothing: ReadonlySet<Part> = new Set();
async function hintIn(event: string, html: string): Promise<string | null> {
  const signal = signals.find((one) => one.event === event);
  const page = await readPage(new URL("https://example.com/"), Buffer.from(html));
  const hit = signal?.find([page], nothing) ?? null;
  return signal === undefined || hit === null ? null : hintFor(signal, hit);
}

describe.each(Object.entries(fixtures))("%s", (event, { seen, unseen }) => {
  test.each(seen.map(([html, names]) => ({ html, names })))(
    "is seen in $html",
    async ({ html, names }) => {
      expect(await hintIn(event, html)).toContain(names);
    },
  );

  test.each(unseen.map((html) => ({ html })))("is not seen in $html", async ({ html }) => {
    expect(await hintIn(event, html)).toBeNull();
  });
});

test("an element carries one event: what the first signal is on is not taken again", async () => {
  const page = await readPage(
    new URL("https://example.com/"),
    Buffer.from(
      `<h1>A</h1><a class="btn" href="/signup">Sign up</a><a class="btn" href="/b">B</a>`,
    ),
  );
  const taken = new Set<Part>();
  const hrefs = ["signup_started", "primary_cta_clicked"].map((event) => {
    const part = signals.find((one) => one.event === event)?.find([page], taken)?.part;
    if (part != null) taken.add(part);
    return part?.attributes.href;
  });
  expect(hrefs).toEqual(["/signup", "/b"]);
});
