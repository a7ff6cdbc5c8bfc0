import { describe, expect, test } from "bun:test";
import {
  nextPage,
  openPage,
  type PageOptions,
  projectName,
  token,
} from "../test/support/browser/tracker-page";

const domains = { "data-link-domains": "Example.com, shop.example.net" };

/** Returns where a link to `href` leads after a click. */
function decorated(href: string, options: PageOptions = {}): string {
  const page = openPage({ attributes: domains, html: `<a id="x"><b>x</b></a>`, ...options });
  page.document.querySelector("#x")?.setAttribute("href", href);
  page.click("#x b");
  expect(page.thrown).toEqual([]);
  const anonymous = page.api.getIdentity().anonymousId ?? "nobody";
  return (page.document.querySelector("#x")?.getAttribute("href") ?? "").replace(anonymous, "ME");
}

describe("leaving", () => {
  test("a link to a listed host, or to one below it, carries the anonymous id", () => {
    expect(decorated("https://shop.example.net/cart")).toBe("https://shop.example.net/cart?_aa=ME");
    expect(decorated("https://example.com/")).toBe("https://example.com/?_aa=ME");
    expect(decorated("https://a.b.example.com/")).toBe("https://a.b.example.com/?_aa=ME");
  });

  test("the rest of the address stays as it was written", () => {
    expect(decorated("https://example.com/a?flag&x=a+b%20c#top")).toBe(
      "https://example.com/a?flag&x=a+b%20c&_aa=ME#top",
    );
  });

  test("an id that is already there is replaced", () => {
    expect(decorated("https://example.com/?_aa=old&x=1")).toBe("https://example.com/?x=1&_aa=ME");
  });

  test("no other link does", () => {
    for (const href of [
      "/cart",
      "https://shop.example.com/cart",
      "https://other.example.org/",
      "https://badexample.com/",
      "https://example.com.evil.example/",
      "https://example.net/",
      "mailto:ada@example.com",
    ]) {
      expect(decorated(href)).toBe(href);
    }
  });

  test("nor any without the attribute, before consent, or after an opt-out", () => {
    const href = "https://example.com/";
    expect(decorated(href, { attributes: {} })).toBe(href);
    expect(decorated("https://example.com./", { attributes: { "data-link-domains": "" } })).toBe(
      "https://example.com./",
    );
    expect(decorated(href, { attributes: { ...domains, "data-require-consent": "true" } })).toBe(
      href,
    );
    const out = openPage({ attributes: domains, html: `<a id="x" href="${href}">x</a>` });
    out.api.optOut();
    out.click("#x");
    expect(out.document.querySelector("#x")?.getAttribute("href")).toBe(href);
  });

  test("a link with data-aa-event is its event and carries the id", async () => {
    const page = openPage({
      attributes: domains,
      html: `<a id="x" data-aa-event="leave" href="https://example.com/">x</a>`,
    });
    page.click("#x");
    expect(await page.named("leave")).toHaveLength(1);
    expect(page.document.querySelector("#x")?.getAttribute("href")).toContain("_aa=anon_");
  });
});

describe("arriving", () => {
  const url = "https://shop.example.com/cart?a=1&_aa=anon_elsewhere&flag#top";

  test("the id is taken out of the address bar, and linked to the local one", async () => {
    const page = openPage({ url, attributes: domains });
    expect(page.window.location.href).toBe("https://shop.example.com/cart?a=1&flag#top");
    await page.wait(0);
    expect(page.identifications()).toEqual([
      {
        token,
        project: projectName,
        previous_id: "anon_elsewhere",
        user_id: page.api.getIdentity().anonymousId,
        sent_at: page.nowMs,
      },
    ]);
    expect(await page.named("page_view")).toHaveLength(1);
  });

  test("the own id comes home without a call", async () => {
    const first = openPage();
    const { anonymousId } = first.api.getIdentity();
    const page = nextPage(first, {
      attributes: domains,
      url: `https://shop.example.com/?_aa=${anonymousId}`,
    });
    await page.wait(0);
    expect(page.window.location.search).toBe("");
    expect(page.identifications()).toEqual([]);
  });

  test("without the attribute nothing is taken", async () => {
    const page = openPage({ url });
    await page.wait(0);
    expect(page.window.location.href).toBe(url);
    expect(page.identifications()).toEqual([]);
  });

  test("in consent mode the call waits for the grant, the address bar does not", async () => {
    const page = openPage({ url, attributes: { ...domains, "data-require-consent": "true" } });
    await page.wait(5_000);
    expect(page.window.location.search).toBe("?a=1&flag");
    expect(page.requests).toEqual([]);
    page.api.grantConsent();
    await page.wait(0);
    expect(page.identifications()).toMatchObject([{ previous_id: "anon_elsewhere" }]);
  });

  test("what cannot be an id is taken out and not sent", async () => {
    const page = openPage({
      url: `https://shop.example.com/?_aa=${"x".repeat(257)}`,
      attributes: domains,
    });
    await page.wait(0);
    expect(page.window.location.search).toBe("");
    expect(page.identifications()).toEqual([]);
  });

  test("a page whose address may not be changed is counted all the same", async () => {
    const page = openPage({
      url,
      attributes: domains,
      prepare: ({ window }) => {
        window.history.replaceState = () => {
          throw new DOMException("no", "SecurityError");
        };
      },
    });
    expect(await page.named("page_view")).toHaveLength(1);
    expect(page.identifications()).toHaveLength(1);
  });
});
