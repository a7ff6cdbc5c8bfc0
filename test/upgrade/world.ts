import { createHash } from "node:crypto";
import { dayMs, minuteMs } from "../../src/lib/clock";
import { opening } from "../support/app/recording";
import type { HttpCalls } from "./http-calls";

const days = 5;
const visitorsOfDay = 40;

/** What the projects of a fixture have: something in every database, and in most tables. */
export async function fillWorld(calls: HttpCalls, nowMs: number): Promise<void> {
  const shop = await calls.makeProject("shop");
  const blog = await calls.makeProject("blog");
  for (let day = days - 1; day >= 0; day--) {
    await calls.track(shop, ...eventsOf("shop", nowMs - day * dayMs - 60 * minuteMs));
    await calls.track(blog, ...eventsOf("blog", nowMs - day * dayMs - 90 * minuteMs));
  }
  const traits = { plan: "pro", email: "ann@example.com" };
  await calls.post("/identify", {
    token: shop.token,
    previous_id: "shop-1",
    user_id: "ann",
    traits,
  });
  await calls.post("/identify", { token: shop.token, previous_id: "shop-2", user_id: "gone" });
  await automated(calls, shop.token);
  await record(calls, shop, nowMs);
  await importDays(calls, nowMs);
  await settings(calls, nowMs);
  await erase(calls);
}

const eventsOf = (site: string, fromMs: number) =>
  Array.from({ length: visitorsOfDay }, (_, visitor) =>
    ["page_view", "page_view", "signup", "purchase"]
      .slice(0, 1 + (visitor % 4))
      .map((event, step) => ({
        ...{ event, event_id: `${site}-${fromMs}-${visitor}-${step}` },
        ...{ user_id: `${site}-${visitor}`, session_id: `${site}-${fromMs}-${visitor}` },
        timestamp: fromMs + visitor * 10_000 + step * 2_000,
        properties: {
          ...{ path: `/page/${(visitor + step) % 7}`, title: `Page ${(visitor + step) % 7}` },
          ...{ referrer: visitor % 3 === 0 ? "https://news.example.com/a" : "", device: "desktop" },
          ...{ browser: ["Firefox", "Chrome", "Safari"][visitor % 3], price: visitor * 1.5 },
          plan: visitor % 2 === 0 ? "pro" : "free",
          ...(visitor % 5 === 0 && { utm_source: "letter", utm_campaign: "spring ☂" }),
        },
      })),
  ).flat();

async function automated(calls: HttpCalls, token: string): Promise<void> {
  const agent = {
    "user-agent": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  };
  const body = { token, event: "page_view", user_id: "bot", properties: { path: "/page/1" } };
  await calls.send("POST", "/track", { headers: agent, body });
}

async function record(calls: HttpCalls, shop: { token: string }, nowMs: number): Promise<void> {
  await calls.post("/replays/enable", { project: "shop" });
  const session_id = `shop-${nowMs - 60 * minuteMs}-3`;
  const { token } = shop;
  const started = await calls.post("/replays/ingest/start", { token, session_id });
  const path = `/replays/ingest/${started.replay_id}`;
  const upload_token = started.upload_token;
  const events = opening(nowMs);
  await calls.post(`${path}/segments`, { upload_token, seq: 0, events });
  await calls.post(`${path}/finish`, { upload_token, stop_reason: "session_end" });
}

/** Events of another product in one project that has none of its own. */
async function importDays(calls: HttpCalls, nowMs: number): Promise<void> {
  await calls.makeProject("moved");
  const file = Array.from({ length: 50 }, (_, at) =>
    JSON.stringify({
      ...{ event: "page_view", timestamp: new Date(nowMs - (at + 24) * 3_600_000).toISOString() },
      ...{ user_id: `old-${at % 9}`, properties: { path: `/old/${at % 4}` } },
    }),
  ).join("\n");
  const bytes = new TextEncoder().encode(file);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const { id } = await calls.post("/imports", { project: "moved", size: bytes.length, sha256 });
  const sent = await calls.send("PUT", `/imports/${id}/data?offset=0`, { body: bytes });
  if (!sent.ok) throw new Error(`the file of the import: ${await sent.text()}`);
  for (const [step, state] of [
    ["check", "checked"],
    ["commit", "done"],
  ] as const) {
    await calls.post(`/imports/${id}/${step}`, {});
    while ((await calls.get(`/imports/${id}`)).state !== state) await Bun.sleep(100);
  }
}

/** What people set, invite and save. */
async function settings(calls: HttpCalls, nowMs: number): Promise<void> {
  const project = "shop";
  const { members } = await calls.get("/members");
  const me = (members as readonly { id: string }[])[0].id;
  await calls.post("/members/invitations", { email: "waiting@example.com", role: "viewer" });
  const invited = { email: "two@example.com", role: "editor" };
  const { url } = await calls.post("/members/invitations", invited);
  const [token = ""] = /ivt_[0-9a-f]{48}/.exec(String(url)) ?? [];
  const joining = { body: { token, password: "correct horse battery" }, isAnonymous: true };
  const joined = await calls.send("POST", "/auth/invitation/accept", joining);
  if (!joined.ok) throw new Error(`the second member: ${await joined.text()}`);
  await calls.post("/alerts", {
    project,
    name: "Fewer visits",
    kind: "change",
    metric: "users",
    to: [me],
  });
  await calls.post("/reports", { project, every: "week", to: [me] });
  await calls.post("/webhooks", {
    ...{
      kind: "signed",
      name: "Team",
      url: "https://hooks.example.com/x",
      events: ["alert.firing"],
    },
  });
  await calls.post("/views", { project, name: "Spring", address: "/app/p/shop/pages?period=7d" });
  await calls.post("/project-context/annotations", {
    ...{ project, occurred_at: new Date(nowMs - dayMs).toISOString(), title: "Spring sale" },
  });
  const variants = { variants: ["a", "b"], goal_event: "signup" };
  await calls.post("/experiments", { project, name: "hero", ...variants });
  await calls.change("PUT", `/projects/${project}/exclusions`, { ips: ["192.0.2.0/24"] });
  const budget = { events_per_month: 1_000_000, when_over: "refuse" };
  await calls.change("PATCH", `/projects/${project}`, { budget, timezone: "Europe/Berlin" });
}

async function erase(calls: HttpCalls): Promise<void> {
  const person = { project: "shop", user_id: "gone" };
  const { confirm } = await calls.post("/people/erase", person);
  await calls.post("/people/erase", { ...person, dry_run: false, confirm });
}
