import { type Fields, nodeType } from "../replay/recorded";

/** The window in which a visitor of the demo sees a page. */
export interface Frame {
  readonly width: number;
  readonly height: number;
}
export const frames = {
  desktop: { width: 1440, height: 900 },
  mobile: { width: 390, height: 844 },
} as const;

/** An element of a page, with the middle of its box. A fixed element stays in place while the page scrolls. */
export interface Place {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly isFixed: boolean;
}

/** A page as a recording shows it. Every element has a box of known size, so that a pointer can hit it. */
export interface Screen {
  readonly node: Fields;
  readonly documentId: number;
  readonly heightPx: number;
  /** Elements that visitors use, by key: the path of a link's page, or a word. */
  readonly places: ReadonlyMap<string, Place>;
}

interface Block {
  readonly tag: "h1" | "p" | "a" | "button" | "input";
  readonly text: string;
  readonly heightPx: number;
  readonly key?: string;
}

const headerPx = 56;
const marginPx = 16;
const gapPx = 24;
const columnPxMax = 720;

const links = [
  ["/", "Acme"],
  ["/features", "Features"],
  ["/pricing", "Pricing"],
  ["/docs", "Docs"],
  ["/blog/late-payments", "Blog"],
  ["/signup", "Sign up"],
  ["/checkout", "Order"],
] as const;

const text = (words: string): Block => ({ tag: "p", text: words, heightPx: 210 });
const act = (key: string, words: string): Block => ({
  ...{ tag: "button", key, text: words, heightPx: 48 },
});
const field = (key: string, label: string): Block => ({
  ...{ tag: "input", key, text: label, heightPx: 44 },
});
const link = (words: string): Block => ({ tag: "a", key: "link", text: words, heightPx: 32 });

/** The keys of the interactive elements. */
export const parts = { email: "email", create: "create", pay: "pay", link: "link" } as const;

const contents: Readonly<Record<string, readonly Block[]>> = {
  "/": [
    text("Write an invoice in a minute, send it, and see when it was opened."),
    text("Reminders go out by themselves. You stay friendly, and you are paid."),
    text("Your bookkeeper gets every invoice at the end of the month."),
    text("Used by studios, workshops and people who work alone."),
  ],
  "/features": [
    text("Invoices, offers and reminders from one form."),
    link("Price list (PDF)"),
    text("Payments are matched with your bank account every night."),
    text("Twelve languages, every currency."),
    text("Everything leaves as a spreadsheet when you want it to."),
  ],
  "/pricing": [
    text("Free: three invoices a month, for ever."),
    text("Team: 19 € a month. Every invoice, reminders, five people."),
    text("Both have the same support, by people who write invoices."),
    text("Change the plan or leave on any day."),
  ],
  "/blog/late-payments": [
    text("Most invoices are not paid late because of ill will."),
    text("They lie in the wrong mailbox, or lack a purchase number."),
    link("The Late Payment Act"),
    text("Three sentences in a reminder work better than ten."),
    text("Lessons of 40,000 reminders."),
    text("Write to us if you count something else."),
  ],
  "/docs": [
    text("Your first invoice in four steps."),
    text("Import customers from a spreadsheet."),
    text("The API: create, send and cancel invoices."),
    text("Webhooks tell you when an invoice is paid."),
    text("Keys, limits and errors."),
  ],
  "/signup": [
    field(parts.email, "E-mail address"),
    field("password", "Password"),
    act(parts.create, "Create account"),
  ],
  "/welcome": [text("Your account is ready. Write the first invoice, or look around.")],
  "/checkout": [
    text("Acme Team, one month."),
    field("card", "Card number"),
    act(parts.pay, "Pay now"),
  ],
  "/thanks": [text("Thank you. The receipt is on its way to you.")],
};

const style = `body{margin:0;background:#fff;color:#1c2530;font:17px/1.5 system-ui,sans-serif}
header{position:fixed;top:0;left:0;right:0;height:${headerPx}px;background:#123a5c;z-index:1}
header a{position:absolute;top:17px;color:#fff;text-align:center;font-size:13px}
main>*{position:absolute;margin:0;box-sizing:border-box}
h1{font-size:26px;line-height:1.2}p{padding:20px;background:#eef3f8;border-radius:10px;font-size:19px}
main a{color:#0b5cad;text-decoration:underline}input{border:1px solid #78889a;border-radius:6px;padding:0 12px}
button{border:0;border-radius:6px;background:#0b5cad;color:#fff;font-size:17px}`;

/** Builds a page of the demo's site for a window. */
export function screenOf(path: string, title: string, { width, height }: Frame): Screen {
  let lastId = 0;
  const places = new Map<string, Place>();
  const textNode = (textContent: string) => ({ type: nodeType.text, id: ++lastId, textContent });
  const element = (tagName: string, attributes: Fields, ...childNodes: readonly Fields[]) => ({
    ...{ type: nodeType.element, id: ++lastId, tagName, attributes, childNodes },
  });
  const rules = [style];
  const slotPx = width / links.length;
  const header = links.map(([to, words], at) => {
    const id = `nav${at}`;
    rules.push(`#${id}{left:${Math.round(at * slotPx)}px;width:${Math.round(slotPx)}px}`);
    const made = element("a", { id }, textNode(words));
    const [x, y] = [Math.round((at + 0.5) * slotPx), headerPx / 2];
    places.set(to, { id: made.id, x, y, isFixed: true });
    return made;
  });
  const columnPx = Math.min(width - 2 * marginPx, columnPxMax);
  const leftPx = (width - columnPx) / 2;
  let topPx = headerPx + gapPx;
  const heading: Block = { tag: "h1", text: title, heightPx: 72 };
  const main = [heading, ...(contents[path] ?? [])].map((block, at) => {
    const id = `block${at}`;
    rules.push(
      `#${id}{left:${leftPx}px;top:${topPx}px;width:${columnPx}px;height:${block.heightPx}px}`,
    );
    const made =
      block.tag === "input"
        ? element("input", { id, type: "text", placeholder: block.text })
        : element(block.tag, { id }, textNode(block.text));
    const [x, y] = [leftPx + Math.min(columnPx / 2, 90), topPx + block.heightPx / 2];
    if (block.key !== undefined) places.set(block.key, { id: made.id, x, y, isFixed: false });
    topPx += block.heightPx + gapPx;
    return made;
  });
  rules.push(`main{display:block;height:${topPx}px}`);
  const head = element(
    "head",
    {},
    element("style", {}, { ...textNode(rules.join("")), isStyle: true }),
  );
  const body = element("body", {}, element("header", {}, ...header), element("main", {}, ...main));
  const html = element("html", { lang: "en" }, head, body);
  const documentId = ++lastId;
  const node = {
    type: nodeType.document,
    id: documentId,
    childNodes: [{ type: 1, id: ++lastId, name: "html", publicId: "", systemId: "" }, html],
  };
  return { node, documentId, heightPx: Math.max(topPx, height), places };
}
