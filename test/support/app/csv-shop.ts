import { dayOf } from "../../../src/domain/event";
import { type Call, type Json, noonMs, type TestApp, testApp } from "./app";
import { dayRow, importDays } from "./imported-days";

/** A shop whose visitors sent what is as hostile to a table as can be, and how the suites about CSV ask about it. */
export let app: TestApp;

export async function openHostileShop(): Promise<void> {
  app = await testApp();
  const shop = await app.makeProject("shop");
  await app.track(shop, ...texts.map(eventOf));
  const day = dayOf(noonMs) - 9;
  importDays(app, shop.id, "imp_1", [
    dayRow(day, 7),
    ...texts.map((value, at) => dayRow(day, at, { dimension: "page", value })),
  ]);
}
export const closeHostileShop = (): Promise<void> => app.close();

export const texts = [
  ...[
    "/",
    "=HYPERLINK(1)",
    "+1",
    "-1",
    "@SUM(1)",
    "\tx",
    "\rx",
    "'=x",
    'a "b", c',
    "a;b",
    "\u200b",
  ],
  ...[
    "line\nbreak\r\n",
    "\\u{41}",
    "\u202eabc",
    "👩🏽‍💻",
    "❤️",
    "\u{e0041}",
    " ",
    "42",
    "null",
    "true",
    "é",
  ],
];
const eventOf = (text: string, index: number) => ({
  event: `e${text}`,
  user_id: `u${text}`,
  session_id: `s${index}${text}`,
  timestamp: noonMs - 2 * 86_400_000 + index * 3_600_000,
  properties: {
    ...{ path: text, text, amount: index - 3, list: [text, null, 1.5], deep: { text: "" } },
    ...(index % 2 === 0 && { even: true }),
  },
});

/** Every form of them: the question, and the list of the answer that is the table. */
export const tables: readonly (readonly [name: string, rows: string, body: Json | null])[] = [
  ["/stats?project=shop", "timeSeries", null],
  ["/stats?project=shop&groupBy=hour&tz=Asia/Kolkata", "timeSeries", null],
  ["/breakdown?project=shop&property=text&limit=50", "values", null],
  ["/breakdown?project=shop&property=list&limit=50", "values", null],
  ["/pages?project=shop&limit=50", "entry_pages", null],
  ["/pages?project=shop&type=exit", "exit_pages", null],
  ["/sessions?project=shop", "sessions", null],
  ["/sessions?project=shop&limit=3", "sessions", null],
  ["/events?project=shop", "events", null],
  ["/events?project=shop&limit=3", "events", null],
  ["/history?project=shop", "series", null],
  ["/history?project=shop&dimension=page&limit=50", "values", null],
  ["/query", "rows", { group_by: ["properties.text"] }],
  ["/query", "rows", { metrics: ["sum:properties.amount", "min:properties.none", "bounce_rate"] }],
  ["/query", "rows", { group_by: ["event", "session.entry_page", "properties.even"] }],
];

export const send = (path: string, body: Json | null = null, call: Call = {}) =>
  app.send(body === null ? "GET" : "POST", path, {
    key: app.key,
    ...(body && { body: { project: "shop", ...body } }),
    ...call,
  });
export const csv = { headers: { accept: "text/csv" } };
export const ask = async (path: string, body: Json | null = null) => {
  const response = await send(path, body, csv);
  return { response, status: response.status, text: await response.text() };
};
export type Answer = Readonly<Record<string, unknown>>;
export const json = async (path: string, body: Json | null = null, call: Call = {}) =>
  (await (await send(path, body, call)).json()) as Answer;
