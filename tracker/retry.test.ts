import { describe, expect, test } from "bun:test";
import { openPage, type SentRequest } from "../test/support/browser/tracker-page";

const tracked = (page: ReturnType<typeof openPage>): SentRequest[] =>
  page.requests.filter(({ path }) => path !== "/experiments/config");
const withoutTime = ({ text }: SentRequest): string => text.replace(/"sent_at":\d+/, "");
const failing = (status: number, headers: Record<string, string> = {}) => ({
  answer: () => new Response("{}", { status, headers }),
});
const offline = {
  answer: () => {
    throw new TypeError("Failed to fetch");
  },
};

describe("when a request fails", () => {
  for (const [name, options] of [
    ["a network error", offline],
    ["429", failing(429)],
    ["503", failing(503)],
  ] as const) {
    test(`${name} is tried again after 1, 5 and 30 seconds, then given up`, async () => {
      const page = openPage(options);
      const counts: number[] = [];
      for (const ms of [5_000, 999, 1, 4_999, 1, 29_999, 1, 120_000]) {
        await page.wait(ms);
        counts.push(tracked(page).length);
      }
      expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
      expect(new Set(tracked(page).map(withoutTime)).size).toBe(1);
    });
  }

  test("each attempt says when it was sent itself, and when the event happened", async () => {
    const page = openPage(offline);
    await page.wait(60_000);
    const sent = tracked(page).map(({ text }) => JSON.parse(text));
    const startMs = page.nowMs - 60_000;
    expect(sent.map(({ sent_at }) => sent_at - startMs)).toEqual([5_000, 6_000, 11_000, 41_000]);
    expect(sent.map(({ timestamp }) => timestamp - startMs)).toEqual([0, 0, 0, 0]);
  });

  for (const status of [400, 401, 403, 413, 500]) {
    test(`${status} drops the request, and the next one goes out`, async () => {
      const page = openPage(failing(status));
      await page.wait(60_000);
      expect(tracked(page)).toHaveLength(1);
      page.api.track("next");
      await page.wait(5_000);
      expect(page.sentEvents().map(({ event }) => event)).toEqual(["page_view", "next"]);
    });
  }

  test("a Retry-After of up to 60 seconds wins; a longer or unreadable one does not", async () => {
    for (const [header, waitedMs] of [
      ["0", 0],
      ["7", 7_000],
      ["60", 60_000],
      ["61", 1_000],
      ["Wed, 21 Oct 2026 07:28:00 GMT", 1_000],
    ] as const) {
      let answers = 0;
      const page = openPage({
        answer: ({ path }) => {
          if (path !== "/track") return Response.json({});
          answers += 1;
          return new Response("{}", {
            status: answers === 1 ? 503 : 202,
            headers: { "retry-after": header },
          });
        },
      });
      await page.wait(5_000);
      if (waitedMs > 0) {
        await page.wait(waitedMs - 1);
        expect(answers).toBe(1);
      }
      await page.wait(1);
      expect(answers).toBe(2);
    }
  });

  test("what is tried again has the same event_id, so that it is stored once", async () => {
    const page = openPage(offline);
    await page.wait(6_000);
    const ids = page.sentEvents().map(({ event_id }) => event_id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test("later events wait behind it and are not lost", async () => {
    const page = openPage(offline);
    await page.wait(5_000);
    page.api.track("later");
    await page.wait(500);
    page.answer = () => Response.json({}, { status: 202 });
    await page.wait(5_000);
    expect(page.sentEvents().map(({ event }) => event)).toEqual([
      "page_view",
      "page_view",
      "later",
    ]);
  });

  test("each answer is read to its end before the next request: browsers count it as in flight", async () => {
    const answers: Response[] = [];
    const unread: number[] = [];
    const page = openPage({
      answer: ({ path }) => {
        if (path !== "/track/batch") return Response.json({});
        unread.push(answers.filter(({ bodyUsed }) => !bodyUsed).length);
        answers.push(Response.json({}, { status: 202 }));
        return answers.at(-1) as Response;
      },
    });
    for (let index = 0; index < 300; index += 1) page.api.track("many");
    await page.wait(5_000);
    expect(unread.length).toBeGreaterThan(3);
    expect(Math.max(...unread)).toBe(0);
  });

  test("what waits for a retry is sent along once more when the page is hidden", async () => {
    const page = openPage(offline);
    await page.wait(5_000);
    page.answer = () => Response.json({}, { status: 202 });
    page.api.track("goodbye");
    page.hide();
    expect(tracked(page).map(({ by }) => by)).toEqual(["fetch", "beacon", "beacon"]);
    await page.wait(120_000);
    expect(tracked(page)).toHaveLength(3);
  });

  test("what is in flight when the page is hidden is sent along too: the event_id makes it one", async () => {
    let respond: (response: Response) => void = () => undefined;
    const page = openPage({
      globals: {
        fetch: (url: string, options: RequestInit) => {
          const request = {
            by: "fetch",
            url,
            path: new URL(url).pathname,
            options,
            type: "",
          } as const;
          page.requests.push({ ...request, text: String(options.body) });
          return new Promise<Response>((resolve) => {
            respond = resolve;
          });
        },
      },
    });
    await page.wait(5_000);
    page.hide();
    expect(new Set(tracked(page).map(withoutTime)).size).toBe(1);
    expect(tracked(page).map(({ by }) => by)).toEqual(["fetch", "beacon"]);
    respond(new Response("{}", { status: 503 }));
    await page.wait(60_000);
    expect(tracked(page)).toHaveLength(2);
  });
});
