import { expect, test } from "bun:test";
import { useCollector } from "../support/browser/collector-suite";
import {
  hasSnapshot,
  passed,
  type ReplayCollector,
  until,
} from "../support/browser/replay-collector";

/** What a site asked to mask or to block stays hidden where shadow roots and frames lie between. */
let collector: ReplayCollector;
useCollector((opened) => {
  collector = opened;
});

/** Adds to the page, as a script of the site's own would, what only its visitor may see. `when` marks the secrets. */
const addHidden = (when: string): string => `(() => {
  const add = (attribute, fill) => {
    const host = document.createElement("div");
    host.setAttribute(attribute, "");
    document.body.append(host);
    fill(host);
  };
  const shadow = (host, html) => { host.attachShadow({ mode: "open" }).innerHTML = html; };
  const child = (host, tag) => host.appendChild(document.createElement(tag));
  const secret = (name) => "SECRET-${when}-" + name;
  const html = (name) => "<p title='" + secret(name) + "-TITLE'>" + secret(name) + "</p>";
  for (const attribute of ["data-aa-replay-mask", "data-aa-replay-block"]) {
    const name = attribute.toUpperCase();
    add(attribute, (host) => shadow(host, html(name + "-HOST")));
    add(attribute, (host) => shadow(child(host, "div"), html(name + "-BELOW")));
    add(attribute, (host) => {
      child(host, "iframe").contentDocument.body.innerHTML = html(name + "-FRAME");
    });
    add(attribute, (host) => {
      const inner = child(host, "div");
      setTimeout(() => {
        shadow(inner, html(name + "-ATTACHED"));
        setTimeout(() => {
          inner.shadowRoot.querySelector("p").firstChild.data = secret(name + "-CHANGED");
        }, 200);
      }, 200);
    });
  }
  add("contenteditable", (host) => shadow(child(host, "div"), html("EDITABLE")));
  add("data-plain", (host) => shadow(host, "<p>VISIBLE-${when}</p>"));
})()`;

test("what is masked or blocked does not leave the page, be it there at first or added later", async () => {
  const { page, problems } = await collector.visit("/shop", {
    before: (context) =>
      context.addInitScript(
        `if (window === top) {
          document.addEventListener("DOMContentLoaded", () => { ${addHidden("FIRST")} });
        }`,
      ),
  });
  await until(() => hasSnapshot(collector));
  await page.evaluate(addHidden("LATER"));
  await passed(page, 1_000);
  await page.goto(`${collector.origin}/away`);
  const sent = (): string => collector.segments.map(({ text }) => text).join("\n");
  await until(() => sent().includes("VISIBLE-LATER"));
  await until(() => sent().includes("VISIBLE-FIRST"));
  expect(sent()).toContain("VISIBLE-FIRST");
  expect([...new Set(sent().match(/SECRET-[A-Z-]+/g) ?? [])]).toEqual([]);
  expect(problems).toEqual([]);
});
