import { expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import {
  acceptClock,
  ask,
  freePort,
  removeFolder,
  type Server,
  setupToken,
  startServer,
  temporaryFolder,
} from "../server/server";
import { eventually } from "../suite/eventually";
import { violationsOf } from "./accessibility";
import { launchChromium, visitorAgent } from "./chromium";

const host = "stats.example.net";
const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
/** What would show in the title if it were ever taken for markup. */
export const hostileText = `<img src=x onerror="document.title='taken over'">`;

/** Rules that our own markup can break: what can be pressed or filled in has a name, nothing is wider than the page. */
const unnamed = `[...document.querySelectorAll("input, select, button, a")].filter((one) =>
  one.checkVisibility() && !(one.labels?.length || one.ariaLabel || one.textContent.trim()))
  .map((one) => one.outerHTML)`;
const isWide = "document.documentElement.scrollWidth > innerWidth";
const squeezed = `[...document.querySelectorAll("td, th")].filter((one) =>
  one.checkVisibility() && one.textContent.length > 20 && one.clientWidth < 70).map((one) => one.textContent)`;
/** Fields whose edge is hard to see: less than 3:1 beside the field or what it lies on (WCAG 2.2, 1.4.11). */
const faint = `(() => {
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (color) => {
    pixel.fillStyle = color;
    pixel.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...pixel.getImageData(0, 0, 1, 1).data].map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const ratio = (one, other) => Math.max(light(one), light(other)) / Math.min(light(one), light(other));
  return [...document.querySelectorAll("input, select")].filter((one) =>
    one.checkVisibility() && one.type !== "checkbox").filter((one) => {
      const style = getComputedStyle(one);
      const around = getComputedStyle(one.closest("section, dialog, body")).backgroundColor;
      return Math.min(ratio(style.borderColor, style.backgroundColor), ratio(style.borderColor, around)) < 3;
    }).map((one) => one.outerHTML);
})()`;

/** A server, a browser, and the pages that a person sees in it. */
export class PersonPages {
  readonly base: string;
  server: Server;
  /** The page that is looked at. */
  page: Page;
  /** What no page may do: fail, break its own policy, or ask another host for anything. */
  readonly problems: string[];
  readonly #browser: Browser;
  readonly #dataDir: string;

  #env: Readonly<Record<string, string>>;

  static async open(
    login: object,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<PersonPages> {
    const dataDir = temporaryFolder();
    const port = freePort();
    const base = `http://${host}:${port}`;
    const env = { PORT: String(port), PUBLIC_URL: base, REGISTRATION: "open", ...variables };
    const server = await startServer({ dataDir, env });
    const browser = await launchChromium([host]);
    const problems: string[] = [];
    const page = await newPage(browser, problems);
    const pages = new PersonPages({ base, server, page, problems, browser, dataDir, env });
    await pages.post(
      "/auth/setup",
      { ...login, setup_token: setupToken },
      { "User-Agent": visitorAgent },
    );
    return pages;
  }

  private constructor(parts: {
    base: string;
    server: Server;
    page: Page;
    problems: string[];
    browser: Browser;
    dataDir: string;
    env: Readonly<Record<string, string>>;
  }) {
    this.base = parts.base;
    this.server = parts.server;
    this.page = parts.page;
    this.problems = parts.problems;
    this.#browser = parts.browser;
    this.#dataDir = parts.dataDir;
    this.#env = parts.env;
  }

  /** Posts as a browser of its own on Windows does. Returns the cookie that came. */
  async post(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
    const sent = { Origin: this.base, "User-Agent": firefox, ...headers };
    const reply = await ask(this.server.url, "POST", path, sent, body);
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.body}`);
    return reply.headers.get("set-cookie")?.split(";")[0] ?? "";
  }

  /** What GET /account says to a credential. */
  async status(headers: Record<string, string>): Promise<number> {
    return (await ask(this.server.url, "GET", "/account", headers)).status;
  }

  /** Stops the server, and starts it again after `meanwhile`. */
  async restart(
    meanwhile: () => Promise<void>,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await this.server.stop();
    await meanwhile();
    this.#env = { ...this.#env, ...variables };
    await acceptClock({ dataDir: this.#dataDir, env: this.#env });
    this.server = await startServer({ dataDir: this.#dataDir, env: this.#env });
  }

  goto = (path: string): Promise<void> => openOn(this.page, this.base + path);
  /** A browser that knows nothing of the one before. */
  async openAnother(): Promise<void> {
    this.page = await newPage(this.#browser, this.problems);
  }
  logIn = (person: Person): Promise<void> => logInOn(this.page, person);

  look = (name: string): Promise<void> => lookAt(this.page, name);

  text = async (selector: string): Promise<string> => (await this.page.textContent(selector)) ?? "";

  async shown(selector: string, pattern: RegExp, timeout = 50_000): Promise<void> {
    const found = this.page.locator(selector).filter({ hasText: pattern });
    await found.first().waitFor({ timeout });
  }
  async gone(selector: string, pattern: RegExp): Promise<void> {
    const found = this.page.locator(selector).filter({ hasText: pattern });
    await eventually(async () => expect(await found.count()).toBe(0));
  }
  /** Says yes to the question that a page asks. */
  async confirm(): Promise<void> {
    await this.page.waitForSelector("#question[open]");
    await this.page.click("#question-yes");
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.server.kill();
    removeFolder(this.#dataDir);
  }
}

interface Person {
  readonly email: string;
  readonly password: string;
}

/** Opens an address that may lead on before all of it was loaded, as every page does that asks for a log-in first. */
export async function openOn(page: Page, address: string): Promise<void> {
  await page.goto(address).catch((error: Error) => {
    if (!error.message.includes("interrupted by another navigation")) throw error;
  });
}

/** Its script has run when a field has the focus; before that the form leads nowhere. */
export async function logInOn(page: Page, { email, password }: Person): Promise<void> {
  await page.locator("#login-form input:focus").waitFor();
  await page.fill("#email", email);
  await page.fill("#password", password);
  await page.click("#login-form button");
}

/** Wide and light, narrow and dark. With SCREENSHOTS set to a folder, it has both for a person to look at. */
export async function lookAt(page: Page, name: string): Promise<void> {
  await eventually(async () => expect([name, await page.evaluate(unnamed)]).toEqual([name, []]));
  for (const [width, colorScheme] of [[320, "dark"] as const, [1_000, "light"] as const]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    // What is drawn for the width before, or in colours that still change, is none of it yet.
    await eventually(async () => {
      expect([name, width, await page.evaluate(isWide)]).toEqual([name, width, false]);
      expect([name, width, await page.evaluate(squeezed)]).toEqual([name, width, []]);
      expect([name, width, await page.evaluate(faint)]).toEqual([name, width, []]);
      expect([name, width, await violationsOf(page)]).toEqual([name, width, []]);
    });
    const folder = process.env.SCREENSHOTS;
    if (folder === undefined) continue;
    await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
  }
}

async function newPage(browser: Browser, problems: string[]): Promise<Page> {
  const context = await browser.newContext({ userAgent: visitorAgent, locale: "en-GB" });
  const opened = await context.newPage();
  opened.on("pageerror", (error) => problems.push(error.message));
  opened.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) problems.push(message.text());
  });
  opened.on("request", (request) => {
    if (new URL(request.url()).hostname !== host) problems.push(request.url());
  });
  return opened;
}
