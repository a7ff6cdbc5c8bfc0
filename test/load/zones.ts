import { Connection, requestText } from "../support/server/connection";
import type { Figures } from "./figures";
import { serve, type World } from "./world";

const section =
  "Reads in another time zone: their time as a multiple of that in UTC, warm, 90 days";
/** Hours of the first are those of UTC, those of the second lie half an hour beside them. */
const zones = ["America/New_York", "Asia/Kolkata"] as const;
const ratioMax = 1.2;
/**
 * Zones take turns, so that all meet the same machine; in its turn each is asked until it is warm, and then again. The
 * least of what each took counts: what else the machine does can only make it more.
 */
const turns = 6;
const askedInTurn = { warming: 2, measured: 4 } as const;

const fromGoogle = { field: "session.source", op: "eq", value: "Google" };
const onMobile = { field: "properties.device", op: "eq", value: "mobile" };

interface Dated {
  readonly name: string;
  request(world: World, tz: string): Parameters<typeof requestText>;
}

/** Questions whose numbers are told by dates, hours or weekdays. */
const questions: readonly Dated[] = [
  get("/stats by day", "/stats?"),
  get("/stats by day, one source", `/stats?${filteredBy(fromGoogle)}&`),
  get("/stats by week", "/stats?groupBy=week&"),
  get("/stats by hour", "/stats?groupBy=hour&"),
  get("/heatmap", "/heatmap?"),
  get("/sessions/distribution", "/sessions/distribution?"),
  get("/breakdown path", "/breakdown?property=path&"),
  query("/query by date", { metrics: ["event_count", "unique_users"], group_by: ["date"] }),
  query("/query event × week", { group_by: ["event", "week"] }),
  query("/query event × week, session_then_user", {
    group_by: ["event", "week"],
    count_mode: "session_then_user",
  }),
  query("/query event × date", { group_by: ["event", "date"] }),
  query("/query event × date, with users", {
    metrics: ["event_count", "unique_users"],
    group_by: ["event", "date"],
  }),
  query("/query per session.source", {
    metrics: ["session_count", "bounce_rate"],
    group_by: ["session.source"],
  }),
  query("/query per path, one property value", {
    metrics: ["event_count", "unique_users"],
    group_by: ["properties.path"],
    filters: [onMobile],
    limit: 20,
  }),
  query("/query sum and p95 of fractions, per plan", {
    metrics: ["sum:properties.amount", "p95:properties.amount"],
    group_by: ["properties.plan"],
  }),
];

export async function measureZones(world: World, figures: Figures): Promise<void> {
  const server = await serve(world.dataDir);
  const connection = await Connection.open(server.url);
  for (const question of questions) {
    const asked = ["UTC", ...zones];
    const took = new Map(asked.map((tz): [string, number[]] => [tz, []]));
    for (let turn = 0; turn < turns; turn++) {
      for (const tz of asked) {
        for (let time = 0; time < askedInTurn.warming + askedInTurn.measured; time++) {
          const reply = await connection.send(requestText(...question.request(world, tz)));
          if (reply.status !== 200) throw new Error(`${question.name} answered ${reply.body}`);
          const timing = /store;dur=([\d.]+)/.exec(reply.headers.get("server-timing") ?? "")?.[1];
          if (time >= askedInTurn.warming) took.get(tz)?.push(Number(timing));
        }
      }
    }
    const [utc, ...others] = asked.map((tz) => Math.min(...(took.get(tz) ?? [])));
    const ratios = others.map((ms) => ms / utc);
    const shown = ratios.map((ratio) => ratio.toFixed(2)).join(" / ");
    const what = `${question.name}: ${zones.join(" / ")} (UTC ${utc.toFixed(1)} ms)`;
    const isMet = ratios.every((ratio) => ratio <= ratioMax);
    figures.add(section, what, shown, String(ratioMax), isMet);
  }
  connection.close();
  await server.stop();
}

function filteredBy(filter: object): string {
  return `filters=${encodeURIComponent(JSON.stringify([filter]))}`;
}

function get(name: string, path: string): Dated {
  return {
    name,
    request: ({ key, big }, tz) => [
      "GET",
      `${path}project=${big.name}&since=89d&tz=${encodeURIComponent(tz)}`,
      { "X-API-Key": key },
    ],
  };
}

function query(name: string, body: object): Dated {
  return {
    name,
    request: ({ key, big }, tz) => [
      "POST",
      "/query",
      { "X-API-Key": key },
      JSON.stringify({ project: big.name, date_from: "89d", tz, count_mode: "raw", ...body }),
    ],
  };
}
