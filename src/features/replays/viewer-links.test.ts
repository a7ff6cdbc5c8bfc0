import { describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import {
  newText,
  opening,
  pageLoad,
  recorded,
  recordedProject,
  startRecording,
} from "../../../test/support/app/recording";

const open = (app: TestApp, id: string) =>
  app.send("POST", `/replays/${id}/open`, { key: app.key, body: {} });
const refusal = async (response: Response): Promise<unknown[]> => [
  response.status,
  ((await response.json()) as Json).error,
];

describe("a viewer's link", () => {
  test("is given for what can be played: while it goes on, and afterwards", async () => {
    const app = await testApp();
    const shop = await recordedProject(app);
    const { id, segment, finish } = await startRecording(app, shop);
    const notPlayable = [409, "REPLAY_NOT_PLAYABLE"];
    expect(await refusal(await open(app, id))).toEqual(notPlayable);
    await segment(0, [pageLoad(noonMs)]);
    expect(await refusal(await open(app, id))).toEqual(notPlayable);
    await segment(2, opening());
    expect((await open(app, id)).status).toBe(200);
    await finish();
    const given = (await (await open(app, id)).json()) as Json;
    expect(given).toMatchObject({ expires_at: noonMs + 3_600_000, replay: { id } });
    expect(given.replay).toMatchObject({ status: "incomplete", has_full_snapshot: true });
    await app.send("DELETE", `/replays/${id}`, { key: app.key });
    expect(await refusal(await open(app, id))).toEqual(notPlayable);
    await app.deps.replays.tend();
    expect(await refusal(await open(app, id))).toEqual(notPlayable);
    await app.close();
  });

  test("leads to the host of its own that the configuration names, and lets ours frame it", async () => {
    const viewerOrigin = "https://replays.example.net";
    const app = await testApp({
      PUBLIC_URL: "https://stats.example.com",
      REPLAY_VIEWER_ORIGIN: viewerOrigin,
    });
    const id = await recorded(app, await recordedProject(app), "s1");
    const { viewer_url: url } = (await (await open(app, id)).json()) as Json;
    const { origin, pathname } = new URL(String(url));
    expect(origin).toBe(viewerOrigin);
    const page = await app.send("GET", pathname, {
      headers: { host: "replays.example.net" },
    });
    expect(page.status).toBe(200);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain(`script-src ${viewerOrigin}/replay-player.js; `);
    expect(policy).toContain(`connect-src ${viewerOrigin}; `);
    expect(policy).toEndWith("frame-ancestors https://stats.example.com");
    const dashboard = await app.send("GET", "/app/p/shop/replays");
    expect(dashboard.headers.get("content-security-policy")).toEndWith(
      `; frame-src ${viewerOrigin}`,
    );
    await app.close();
  });

  test("gives the segments in order, twenty at a time", async () => {
    const app = await testApp();
    const { id, segment, finish } = await startRecording(app, await recordedProject(app));
    // They are stored in groups, so that to wait for each would take long.
    const last = 44;
    const later = Array.from({ length: last }, (_, at) => last - at);
    await Promise.all(later.map((seq) => segment(seq, [newText(noonMs + seq, 7)])));
    await segment(0, opening());
    const { viewer_url: url } = (await (await open(app, id)).json()) as Json;
    const pages = async (): Promise<number[][]> => {
      const found: number[][] = [];
      for (let after: unknown = ""; after !== null; ) {
        const query = after === "" ? "" : `?after=${after}`;
        const data = await app.get(`${new URL(String(url)).pathname}/data${query}`);
        found.push((data.segments as { seq: number }[]).map(({ seq }) => seq));
        after = data.next_after;
      }
      return found;
    };
    const numbers = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => from + at);
    const whole = [numbers(0, 20), numbers(20, 20), numbers(40, 5)];
    expect(await pages()).toEqual(whole);
    await finish();
    await app.deps.replays.tend();
    // The pages are the same from its file as from the rows.
    expect(await pages()).toEqual(whole);
    await app.close();
  });
});
