import { expect, test } from "bun:test";
import { type Json, noonMs, testApp } from "../../../test/support/app/app";
import {
  newText,
  opening,
  recordedProject,
  startRecording,
} from "../../../test/support/app/recording";
import { segmentBytesMax } from "../../domain/replay/limits";
import { isStorageFull } from "../../domain/replay/storage";

test("at the month's limit nothing new begins, and deleting gives nothing of it back", async () => {
  const small = await testApp({ REPLAY_MONTHLY_LIMIT: "2" });
  const shop = await recordedProject(small);
  const begin = async (session_id: string) => {
    const body = { token: shop.token, session_id };
    return (await small.send("POST", "/replays/ingest/start", { body })).status;
  };
  expect([await begin("a"), await begin("b"), await begin("c"), await begin("a")]).toEqual([
    201, 201, 202, 200,
  ]);
  await small.send("DELETE", "/replays?project=shop&session_id=a", { key: small.key });
  await small.deps.replays.tend();
  expect(await begin("a")).toBe(202);
  expect(await small.get("/replays/usage?project=shop")).toMatchObject({
    ...{ month: "2026-01", replays: 2, stored_bytes: 0 },
    account: { replays: 2, max_replays_per_month: 2 },
  });
  await small.close();
});

test("when the account's storage is full, recording ends and cannot be switched on", async () => {
  const small = await testApp({ REPLAY_MAX_BYTES: "900" });
  const shop = await recordedProject(small);
  const { id, segment } = await startRecording(small, shop);
  await segment(0, opening());
  let seq = 1;
  for (let isOver = false; !isOver && seq < 50; seq++) {
    isOver = (await segment(seq, [newText(noonMs + seq, 7)])).stop === true;
  }
  expect(await small.get(`/replays/${id}`)).toMatchObject({
    status: "complete",
    stop_reason: "quota",
  });
  const { stored_bytes: bytes } = await small.get("/replays/usage?project=shop");
  expect(Number(bytes)).toBeLessThanOrEqual(900);
  await small.close();
  const none = await testApp({ REPLAY_MAX_BYTES: "0" });
  await none.makeProject("shop");
  const refused = await none.send("POST", "/replays/enable", {
    key: none.key,
    body: { project: "shop" },
  });
  expect([refused.status, ((await refused.json()) as Json).error]).toEqual([429, "REPLAY_QUOTA"]);
  expect(refused.headers.get("retry-after")).toBe("3600");
  await none.close();
});

test("a quota too small for another recording counts as reached, until a recording is deleted", async () => {
  const small = await testApp({ REPLAY_MAX_BYTES: "400000" });
  const shop = await recordedProject(small);
  const start = async (session_id: string) => {
    const body = { token: shop.token, session_id };
    const answer = await small.send("POST", "/replays/ingest/start", { body });
    return [answer.status, ((await answer.json()) as Json).recording];
  };
  const enable = () =>
    small.send("POST", "/replays/enable", { key: small.key, body: { project: "shop" } });
  for (const session of ["a", "b", "c"]) {
    const { segment, finish } = await startRecording(small, shop, session);
    await segment(0, [...opening(), textOf(randomText(105_000))]);
    await finish();
  }
  const { stored_bytes: stored } = await small.get("/replays/usage?project=shop");
  expect(400_000 - Number(stored)).toBeWithin(1, 100_000);

  expect(await start("d")).toEqual([202, false]);
  expect((await enable()).status).toBe(429);
  expect(await small.get("/replays/usage?project=shop")).toMatchObject({ replays: 3 });

  await small.send("DELETE", "/replays?project=shop&session_id=a", { key: small.key });
  await small.deps.replays.tend();
  expect((await enable()).status).toBe(200);
  expect(await start("d")).toEqual([201, true]);
  await small.close();
});

test("storage is full when less than a segment, or a quarter of a small quota, is free", () => {
  const large = 100 * segmentBytesMax;
  expect(isStorageFull(large - segmentBytesMax, large)).toBe(false);
  expect(isStorageFull(large - segmentBytesMax + 1, large)).toBe(true);
  expect([isStorageFull(750, 1_000), isStorageFull(751, 1_000)]).toEqual([false, true]);
  expect(isStorageFull(0, 0)).toBe(true);
});

test("beyond the server's budget the oldest closed replay makes way, then the largest open one ends", async () => {
  const small = await testApp({ REPLAYS_MB: "1" });
  const shop = await recordedProject(small);
  const noise = () => Array.from({ length: 4 }, () => textOf(randomText(60_000)));
  const fill = async (session: string, segments: number) => {
    const recorder = await startRecording(small, shop, session);
    await recorder.segment(0, opening());
    for (let seq = 1; seq <= segments; seq++) await recorder.segment(seq, noise());
    return recorder;
  };
  const old = await fill("old", 2);
  await old.finish();
  await small.deps.replays.tend();
  small.setTime(noonMs + 1_000);
  const young = await fill("young", 4);
  await small.deps.replays.tend();
  const state = async (id: string) => (await small.get(`/replays/${id}`)).status;
  expect([await state(old.id), await state(young.id)]).toEqual(["deleted", "recording"]);
  await fill("young", 0);
  for (let seq = 5; seq < 7; seq++) await young.segment(seq, noise());
  await small.deps.replays.tend();
  expect(await small.get(`/replays/${young.id}`)).toMatchObject({ stop_reason: "quota" });
  await small.close();
});

const textOf = (value: string): Json => ({
  ...newText(noonMs, 7),
  data: { source: 0, texts: [{ id: 7, value }], attributes: [], removes: [], adds: [] },
});

const randomText = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64");
