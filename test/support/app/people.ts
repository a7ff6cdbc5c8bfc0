import type { Json, TestApp } from "./app";

/** Erases a person by a preview and its confirmation. Throws what the server says where it refuses. */
export async function erasedPerson(app: TestApp, body: Json): Promise<Json> {
  const { confirm } = await app.post("/people/erase", body);
  const sent = { ...body, dry_run: false, confirm };
  const answer = await app.send("POST", "/people/erase", { key: app.key, body: sent });
  const told = (await answer.json()) as Json;
  if (answer.status !== 202) throw new Error(String(told.message));
  return told;
}
