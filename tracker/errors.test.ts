import { describe, expect, test } from "bun:test";
import { openPage, type TrackerPage } from "../test/support/browser/tracker-page";
import { processorMs } from "../test/support/suite/processor-time";

const watching = { attributes: { "data-track-errors": "true" } };

function fail(
  page: TrackerPage,
  message: string,
  source = "https://shop.example.com/app.js",
  line = 7,
): void {
  page.fire(page.window, "error", { message, filename: source, lineno: line, colno: 3 });
}

/** Returns how the tracker tells a text. */
async function told(message: string): Promise<string> {
  const page = openPage(watching);
  fail(page, message);
  const [error] = await page.named("$error");
  return String(error?.properties.message);
}

describe("$error", () => {
  test("an uncaught error", async () => {
    const page = openPage(watching);
    fail(page, "x is not a function", "https://shop.example.com/app.js?v=1#a", 12);
    const [error] = await page.named("$error");
    expect(error?.properties).toMatchObject({
      message: "x is not a function",
      source: "https://shop.example.com/app.js",
      line: 12,
      col: 3,
    });
  });

  test("a rejection that nobody handled", async () => {
    const page = openPage(watching);
    page.fire(page.window, "unhandledrejection", { reason: new Error("no answer") });
    page.fire(page.window, "unhandledrejection", { reason: "text" });
    page.fire(page.window, "unhandledrejection", { reason: undefined });
    const errors = await page.named("$error");
    expect(errors.map(({ properties }) => properties.message)).toEqual([
      "no answer",
      "text",
      "undefined",
    ]);
  });

  test("the same message, source and line once", async () => {
    const page = openPage(watching);
    fail(page, "a");
    fail(page, "a");
    fail(page, "a", "https://shop.example.com/other.js");
    fail(page, "a", "https://shop.example.com/app.js", 8);
    expect(await page.named("$error")).toHaveLength(3);
  });

  test("five per page, and again five after a change of route", async () => {
    const page = openPage(watching);
    for (let index = 0; index < 9; index++) fail(page, `e${index}`);
    expect(await page.named("$error")).toHaveLength(5);
    page.window.history.pushState({}, "", "/next");
    for (let index = 0; index < 9; index++) fail(page, `e${index}`);
    expect(await page.named("$error")).toHaveLength(10);
  });

  test("an image that does not load is none", async () => {
    const page = openPage(watching);
    page.fire(page.document.body, "error");
    expect(await page.named("$error")).toEqual([]);
  });

  test("off until its attribute is true", async () => {
    const page = openPage();
    fail(page, "a");
    expect(await page.named("$error")).toEqual([]);
  });

  test("message and source are at most 500 characters", async () => {
    const page = openPage(watching);
    fail(page, "no ".repeat(400), `https://shop.example.com/${"a/".repeat(400)}`);
    const [error] = await page.named("$error");
    expect(String(error?.properties.message)).toHaveLength(500);
    expect(String(error?.properties.source)).toHaveLength(500);
  });
});

describe("what is taken out of its text", () => {
  const secret = "s3cr3t-Value";
  for (const text of [
    `GET https://api.example.com/v1/users?session=${secret}#${secret} failed`,
    `GET /v1/users?x=${secret} failed`,
    `(https://ada:${secret}@api.example.com/v1)`,
    `at https://api.example.com/#/reset/${secret}`,
    `Authorization: Bearer ${secret}`,
    `bearer ${secret}`,
    `"Authorization":"Bearer ${secret}"`,
    `Basic ${secret}`,
    `token=${secret}`,
    `api_key=${secret}`,
    `apiKey: ${secret}`,
    `{"password": "${secret} with words"}`,
    `{'access_token':'${secret}'}`,
    `client_secret = ${secret}`,
    `passwd=${secret}&x=1`,
    `pwd:${secret}`,
    `code=${secret}`,
    `auth=${secret};`,
    `no user ada.${secret}+tag@mail.example.com`,
    `data:text/plain,${secret}`,
  ]) {
    test(text, async () => {
      expect(await told(text)).not.toContain(secret);
    });
  }

  test("each becomes [redacted], and the words around it stay", async () => {
    expect(await told("mail to ada@example.com, please")).toBe("mail to [redacted], please");
    expect(await told("item 123e4567-e89b-12d3-a456-426614174000 is gone")).toBe(
      "item [redacted] is gone",
    );
    expect(await told(`key ${"a".repeat(32)} is gone`)).toBe("key [redacted] is gone");
    expect(await told(`token=abc&page=2`)).toBe("[redacted]&page=2");
    expect(await told("sent Bearer abc.def-ghi to it")).toBe("sent [redacted] to it");
  });

  test("31 word characters in a row stay", async () => {
    expect(await told("a".repeat(31))).toBe("a".repeat(31));
  });

  test("of an address, origin and path stay", async () => {
    expect(await told("GET https://api.example.com:8443/v1/users?q=1 failed")).toBe(
      "GET https://api.example.com:8443/v1/users failed",
    );
  });

  test("an ordinary message is left alone", async () => {
    const message = "Cannot read properties of undefined (reading 'length')";
    expect(await told(message)).toBe(message);
  });

  test("a secret cannot be brought into sight by what is taken out before it", async () => {
    const long = `${"a".repeat(4_990)} token=${secret}${secret}`;
    expect(await told(long)).not.toContain("s3cr");
  });

  test("a hostile message takes no time", async () => {
    const page = openPage(watching);
    const startedMs = processorMs();
    for (const part of ["a", "token", "a@", "/?", '"', "token=", "bearer ", "-", "data:", " "]) {
      page.window.history.pushState({}, "", `/${encodeURIComponent(part)}`);
      fail(page, part.repeat(200_000));
    }
    expect(processorMs() - startedMs).toBeLessThan(2_000);
    expect(await page.named("$error")).toHaveLength(10);
  });
});
