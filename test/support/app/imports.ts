import { expect } from "bun:test";
import { createHash } from "node:crypto";
import { eventually } from "../suite/eventually";
import type { Json, TestApp, TestProject } from "./app";

/** A file of the kind `events`. */
export const eventLines = (events: readonly Json[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join("");

export const sha256Of = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

/** Creates an import and sends its file. Returns its id. */
export async function uploaded(
  app: TestApp,
  project: TestProject,
  file: string | Uint8Array,
  rules: Json = {},
): Promise<string> {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const request = { project: project.id, size: bytes.length, sha256: sha256Of(bytes), ...rules };
  const { id } = await app.post("/imports", request);
  const sent = await app.send("PUT", `/imports/${id}/data?offset=0`, { key: app.key, body: bytes });
  expect(await sent.json()).toEqual({ received: bytes.length });
  return String(id);
}

/** Waits until an import has a state. */
export async function waitFor(app: TestApp, id: string, state: string): Promise<Json> {
  const found = await eventually(async () => {
    const shown = await app.get(`/imports/${id}`);
    expect(["checking", "committing"]).not.toContain(shown.state);
    return shown;
  });
  expect(found, app.logged.join("\n")).toMatchObject({ state });
  return found;
}

export async function checked(
  app: TestApp,
  project: TestProject,
  file: string | Uint8Array,
  rules: Json = {},
): Promise<Json> {
  const id = await uploaded(app, project, file, rules);
  await app.post(`/imports/${id}/check`, {});
  return waitFor(app, id, "checked");
}

/** Imports a file to its end. Returns the id of the import. */
export async function committed(
  app: TestApp,
  project: TestProject,
  file: string | Uint8Array,
  rules: Json = {},
): Promise<string> {
  const { id } = await checked(app, project, file, rules);
  await app.post(`/imports/${id}/commit`, {});
  await waitFor(app, String(id), "done");
  return String(id);
}
