import { describe, expect, test } from "bun:test";
import { openPage, type PageOptions } from "../test/support/browser/tracker-page";

const on = (...names: readonly string[]): PageOptions["attributes"] =>
  Object.fromEntries(names.map((name) => [`data-track-${name}`, "true"]));
const everything = on("clicks", "outgoing", "downloads", "forms");

/** What a click on the last element of this page is told as. */
async function clicked(
  html: string,
  attributes: PageOptions["attributes"] = everything,
  selector = "#x",
) {
  const page = openPage({ html, ...(attributes && { attributes }) });
  page.click(selector);
  const events = await page.events();
  expect(page.thrown).toEqual([]);
  return events
    .filter(({ event }) => event !== "page_view")
    .map(({ event, properties }) => {
      const {
        url,
        referrer,
        path,
        title,
        screen,
        language,
        timezone,
        device,
        os,
        browser,
        ...rest
      } = properties;
      const { browser_version, session_count, days_since_first_visit, hostname, ...own } = rest;
      return event === "outgoing_link" ? { event, hostname, ...own } : { event, ...own };
    });
}

describe("data-aa-event", () => {
  const button = `<button id="b" data-aa-event="Sign up" data-aa-event-plan="pro" data-aa-event-Place="top" data-x="y">
    <i id="x">Go</i></button>`;

  test("a click on the element or inside it is its event, with its properties", async () => {
    const expected = [{ event: "Sign up", plan: "pro", place: "top" }];
    expect(await clicked(button)).toEqual(expected);
    expect(await clicked(button, {}, "#b")).toEqual(expected);
  });

  test("no other click event comes with it, be it on the element or on one around it", async () => {
    expect(
      await clicked(
        `<div data-aa-event="e"><a id="x" href="https://other.example.org/f.pdf">x</a></div>`,
      ),
    ).toEqual([{ event: "e" }]);
  });

  test("without a name it is no event, and still keeps the others away", async () => {
    expect(
      await clicked(`<a id="x" data-aa-event="" href="https://other.example.org/">x</a>`),
    ).toEqual([]);
  });
});

describe("$click", () => {
  test("a link", async () => {
    const html = `<a id="x" class="big  red" href="/cart?item=1#top">Cart</a>`;
    expect(await clicked(html, on("clicks"))).toEqual([
      {
        event: "$click",
        tag: "a",
        id: "x",
        classes: "big  red",
        href: "https://shop.example.com/cart",
        is_external: false,
      },
    ]);
  });

  test("a button, or what is inside it", async () => {
    expect(await clicked(`<button type="button"><b id="x">Go</b></button>`, on("clicks"))).toEqual([
      { event: "$click", tag: "button", id: "", classes: "", type: "button" },
    ]);
  });

  test("a link to elsewhere is external", async () => {
    const [event] = await clicked(
      `<a id="x" href="https://other.example.org/p?q=1">x</a>`,
      on("clicks"),
    );
    expect(event).toMatchObject({ href: "https://other.example.org/p", is_external: true });
  });

  test("not mailto, tel or javascript, and nothing that is neither link nor button", async () => {
    for (const href of [
      "mailto:ada@example.com",
      "tel:+123",
      "javascript:void(0)",
      "JavaScript:1",
    ]) {
      expect(await clicked(`<a id="x" href="${href}">x</a>`)).toEqual([]);
    }
    expect(await clicked(`<div id="x">x</div>`)).toEqual([]);
  });

  test("classes are cut to 200 characters", async () => {
    const [event] = await clicked(
      `<button id="x" class="${"c".repeat(201)}">x</button>`,
      on("clicks"),
    );
    expect(event).toMatchObject({ classes: "c".repeat(200) });
  });

  test("a link in an image drawn by SVG", async () => {
    const html = `<svg><a id="x" class="k" href="/inside"><text>x</text></a></svg>`;
    const [event] = await clicked(html, on("clicks"));
    expect(event).toMatchObject({ tag: "a", classes: "k", href: "", is_external: false });
  });

  test("an address that cannot be read is empty", async () => {
    const [event] = await clicked(`<a id="x" href="https://[">x</a>`, on("clicks"));
    expect(event).toMatchObject({ href: "", is_external: false });
  });
});

describe("outgoing_link", () => {
  test("a link to another host", async () => {
    const html = `<a href="https://other.example.org/p?q=private#h"><img id="x"></a>`;
    expect(await clicked(html, on("outgoing"))).toEqual([
      {
        event: "outgoing_link",
        href: "https://other.example.org/p",
        hostname: "other.example.org",
      },
    ]);
  });

  test("not one to this host, and not what is no web address", async () => {
    for (const href of [
      "/a",
      "https://shop.example.com/b",
      "mailto:a@other.example.org",
      "ftp://other.example.org/",
    ]) {
      expect(await clicked(`<a id="x" href="${href}">x</a>`, on("outgoing"))).toEqual([]);
    }
  });
});

describe("$download", () => {
  const extensions =
    "pdf xls xlsx doc docx txt rtf csv exe key pps ppt pptx 7z pkg rar gz zip avi " +
    "mov mp4 mpeg wmv midi mp3 wav wma dmg iso msi";
  for (const extension of extensions.split(" ")) {
    test(`a link to .${extension}`, async () => {
      const html = `<a id="x" href="/files/report.${extension.toUpperCase()}?v=2">x</a>`;
      expect(await clicked(html, on("downloads"))).toEqual([
        {
          event: "$download",
          href: `https://shop.example.com/files/report.${extension.toUpperCase()}`,
          filename: `report.${extension.toUpperCase()}`,
          extension,
        },
      ]);
    });
  }

  test("not when the extension is not at the end of the path, or is another", async () => {
    for (const href of ["/a.pdf/view", "/a?file=b.pdf", "/a.pdfx", "/pdf", "/a.html", "/.pdf/"]) {
      expect(await clicked(`<a id="x" href="${href}">x</a>`, on("downloads"))).toEqual([]);
    }
  });
});

describe("$form_submit", () => {
  async function submitted(html: string, attributes = on("forms")) {
    const page = openPage({ html, ...(attributes && { attributes }) });
    page.fire(page.document.querySelector("form"), "submit");
    return (await page.events())
      .filter(({ event }) => event === "$form_submit")
      .map(({ properties }) => properties);
  }

  test("says which form, and nothing of what was filled in", async () => {
    const html = `<form id="f" name="sign-up" class="k" method="POST" action="/join?token=secret">
      <input name="mail" value="ada@example.com"><input type="password" value="hunter2"></form>`;
    const [properties] = await submitted(html);
    expect(properties).toMatchObject({
      id: "f",
      name: "sign-up",
      classes: "k",
      method: "post",
      action: "https://shop.example.com/join",
    });
    expect(JSON.stringify(properties)).not.toMatch(/ada|hunter2|secret/);
  });

  test("fields that are called like properties of the form do not stand in for them", async () => {
    const html = `<form><input name="id" value="private"><input name="action" value="private">
      <input name="method" value="private"><input name="name" value="private"></form>`;
    const [properties] = await submitted(html);
    expect(properties).toMatchObject({
      id: "",
      name: "",
      method: "get",
      action: "https://shop.example.com/start",
    });
  });

  test("a form that is not valid is not told, unless it says novalidate", async () => {
    const fields = `<input required value="">`;
    expect(await submitted(`<form>${fields}</form>`)).toEqual([]);
    expect(await submitted(`<form novalidate>${fields}</form>`)).toHaveLength(1);
  });

  test("a form with data-aa-event is not told", async () => {
    expect(await submitted(`<form data-aa-event="e"></form>`)).toEqual([]);
  });

  test("classes and action have a bound", async () => {
    const [properties] = await submitted(
      `<form class="${"c".repeat(300)}" action="/${"a".repeat(600)}"></form>`,
    );
    expect(String(properties?.classes)).toHaveLength(200);
    expect(String(properties?.action)).toHaveLength(500);
  });
});

test("each of these is off until its attribute is true", async () => {
  const html = `<a id="x" href="https://other.example.org/f.pdf">x</a><form></form>`;
  for (const value of [null, "", "false", "TRUE", "1"]) {
    const names = ["clicks", "outgoing", "downloads", "forms"];
    const attributes = Object.fromEntries(names.map((name) => [`data-track-${name}`, value]));
    const page = openPage({ html, attributes });
    page.click("#x");
    page.fire(page.document.querySelector("form"), "submit");
    expect((await page.events()).map(({ event }) => event)).toEqual(["page_view"]);
  }
});

test("a page that stops its clicks from going on does not hide them", async () => {
  const page = openPage({
    html: `<button id="x">x</button>`,
    attributes: { "data-track-clicks": "true" },
  });
  page.document
    .querySelector("#x")
    ?.addEventListener("click", (event) => event.stopImmediatePropagation());
  page.click("#x");
  expect(await page.named("$click")).toHaveLength(1);
});
