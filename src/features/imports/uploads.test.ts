import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import {
  checked,
  committed,
  eventLines,
  sha256Of,
  uploaded,
  waitFor,
} from "../../../test/support/app/imports";
import { importBytesMax, importPartBytesMax } from "../../domain/import";
import { runDueJobs } from "../../jobs";
import { dayMs, hourMs } from "../../lib/clock";

let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterEach(() => app.close());

const file = eventLines([{ event: "page_view", user_id: "ann", timestamp: noonMs - dayMs }]);
const create = (fields: object = {}) =>
  app.send("POST", "/imports", {
    key: app.key,
    body: { project: "shop", size: file.length, sha256: sha256Of(file), ...fields },
  });
const put = (id: string, offset: number, body: string | Uint8Array) =>
  app.send("PUT", `/imports/${id}/data?offset=${offset}`, { key: app.key, body });
const idOf = async (answer: Promise<Response>): Promise<string> =>
  ((await (await answer).json()) as { readonly id: string }).id;
const refusalOf = async (answer: Response) => ({
  status: answer.status,
  ...((await answer.json()) as object),
});

test("parts come one after the other; another offset is told what was received", async () => {
  const id = await idOf(create());
  expect(await (await put(id, 0, file.slice(0, 10))).json()).toEqual({ received: 10 });
  const again = { status: 409, error: "IMPORT_STATE", state: "uploading", received: 10 };
  expect(await refusalOf(await put(id, 0, file.slice(0, 10)))).toMatchObject(again);
  expect(await refusalOf(await put(id, 11, file.slice(11)))).toMatchObject(again);
  expect(await refusalOf(await put(id, 10, `${file.slice(10)}x`))).toMatchObject(again);
  expect(await app.get(`/imports/${id}`)).toMatchObject({ state: "uploading", received: 10 });
  const early = await app.send("POST", `/imports/${id}/check`, { key: app.key, body: {} });
  expect(await refusalOf(early)).toMatchObject(again);
  expect((await put(id, 10, file.slice(10))).status).toBe(200);
  expect(await refusalOf(await put(id, file.length, ""))).toMatchObject({ status: 400 });
  expect(await app.get(`/imports/${id}`)).toMatchObject({ progress: 1, received: file.length });
});

test("parts at the same time are written once", async () => {
  const id = await idOf(create());
  const answers = await Promise.all([1, 2, 3].map(() => put(id, 0, file)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});

test("a part has at most 8 MiB, and a file at most 4 GiB", async () => {
  expect((await create({ size: importBytesMax })).status).toBe(201);
  expect(await refusalOf(await create({ size: importBytesMax + 1 }))).toMatchObject({
    ...{ status: 413, limit_bytes: importBytesMax },
  });
  const sha256 = "0".repeat(64);
  const id = await idOf(create({ size: 2 * importPartBytesMax, sha256 }));
  expect((await put(id, 0, new Uint8Array(importPartBytesMax + 1))).status).toBe(413);
  expect((await put(id, 0, new Uint8Array(importPartBytesMax))).status).toBe(200);
});

test("parts are not counted by rate limits", async () => {
  await app.close();
  app = await testApp({ RATE_LIMIT_RPM: "5" });
  shop = await app.makeProject("shop");
  const id = await idOf(create());
  for (let at = 0; at < 10; at++) {
    expect((await put(id, at, file.slice(at, at + 1))).status).toBe(200);
  }
});

test("other bytes than were announced are refused, and the same file can be sent again", async () => {
  const id = await idOf(create());
  await put(id, 0, file.replace("ann", "eve"));
  const refused = await app.send("POST", `/imports/${id}/check`, { key: app.key, body: {} });
  expect(await refusalOf(refused)).toMatchObject({ status: 400, error: "IMPORT_BROKEN" });
  expect(await app.get(`/imports/${id}`)).toMatchObject({
    ...{ state: "failed", error: { code: "IMPORT_BROKEN" } },
  });
  expect((await create()).status).toBe(201);
});

test("one file is in a project once, while its import is there", async () => {
  const id = await uploaded(app, shop, file);
  expect(await refusalOf(await create())).toMatchObject({
    ...{ status: 409, error: "IMPORT_EXISTS", import: id },
  });
  await app.makeProject("other");
  expect((await create({ project: "other" })).status).toBe(201);
  await app.send("DELETE", `/imports/${id}`, { key: app.key });
  expect((await create()).status).toBe(201);
});

test("an import that stored 0 rows says so to whom brings its file again", async () => {
  const first = await committed(app, shop, file);
  const again = `${file}\n`;
  const id = await committed(app, shop, again);
  await app.send("DELETE", `/imports/${first}`, { key: app.key });
  const fields = { size: again.length, sha256: sha256Of(again) };
  expect(await refusalOf(await create(fields))).toMatchObject({
    ...{ status: 409, error: "IMPORT_EXISTS", import: id },
    message:
      "The project has an import of the same file, which stored 0 rows. " +
      `To import the file again, first remove that import: DELETE /imports/${id}.`,
  });
  await app.send("DELETE", `/imports/${id}`, { key: app.key });
  expect((await create(fields)).status).toBe(201);
});

test("only what was checked is committed, and only once", async () => {
  const id = await uploaded(app, shop, file);
  const commit = () => app.send("POST", `/imports/${id}/commit`, { key: app.key, body: {} });
  expect(await refusalOf(await commit())).toMatchObject({ status: 409, state: "uploading" });
  await app.post(`/imports/${id}/check`, {});
  await waitFor(app, id, "checked");
  expect((await commit()).status).toBe(202);
  await waitFor(app, id, "done");
  expect(await refusalOf(await commit())).toMatchObject({ status: 409, state: "done" });
  expect(existsSync(join(app.dataDir, "imports", id))).toBe(false);
});

test("an account checks one file at a time", async () => {
  const one = await uploaded(app, shop, file);
  const two = await uploaded(app, shop, `${file}${file}`);
  await app.post(`/imports/${one}/check`, {});
  const busy = await app.send("POST", `/imports/${two}/check`, { key: app.key, body: {} });
  expect(busy.headers.get("retry-after")).toBe("30");
  expect(await refusalOf(busy)).toMatchObject({ status: 429, error: "IMPORT_BUSY" });
  await waitFor(app, one, "checked");
  await app.post(`/imports/${two}/check`, {});
  await waitFor(app, two, "checked");
});

test("an upload lapses after a day without a part, a checked file after a week", async () => {
  const left = await idOf(create({ sha256: "1".repeat(64) }));
  await put(left, 0, file.slice(0, 5));
  const { id } = await checked(app, shop, file);
  const idsAfter = async (ms: number) => {
    app.setTime(noonMs + ms);
    await runDueJobs(app.deps, new Map());
    const { imports } = await app.get("/imports?project=shop");
    return (imports as { readonly id: string }[]).map((one) => one.id);
  };
  expect(await idsAfter(dayMs)).toEqual([id, left].map(String));
  expect(await idsAfter(dayMs + hourMs)).toEqual([String(id)]);
  expect(readdirSync(join(app.dataDir, "imports"))).toEqual([String(id)]);
  expect(await idsAfter(7 * dayMs)).toEqual([String(id)]);
  expect(await idsAfter(7 * dayMs + hourMs)).toEqual([]);
  expect(readdirSync(join(app.dataDir, "imports"))).toEqual([]);
});
