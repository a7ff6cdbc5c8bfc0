import { expect } from "bun:test";
import { type Call, type Json, type TestApp, type TestProject, testApp } from "./app";

/** Shares of a shop with four events of two people on two plans: what each suite about shares begins with. */
export let app: TestApp;
export let shop: TestProject;

export async function openShares(): Promise<void> {
  app = await testApp();
  shop = await app.makeProject("shop");
  await app.makeProject("blog");
  const event = (name: string, plan: string, user_id: string) => ({
    ...{ event: name, user_id, session_id: `s-${user_id}`, properties: { plan, path: "/" } },
  });
  await app.track(shop, event("signup", "a", "ann"), event("signup", "b", "bob"));
  await app.track(shop, event("pay", "b", "bob"), event("<b>&", "a", "ann"));
}
export const closeShares = (): Promise<void> => app.close();

export const body = async (answer: Response): Promise<Json> => (await answer.json()) as Json;
export const create = (more: Json = {}) =>
  app.send("POST", "/shares", { key: app.key, body: { project: "shop", name: "S", ...more } });
export interface Made {
  readonly id: string;
  readonly token: string;
  readonly path: string;
}
export const share = async (more: Json = {}): Promise<Made> => {
  const answer = await create(more);
  expect(answer.status).toBe(201);
  const { id, url } = await body(answer);
  const token = tokenOf({ url });
  return { id: String(id), token, path: `/share/${token}` };
};
export const tokenOf = ({ url }: Json): string => String(url).split("/share/")[1] ?? "";
export const bearer = (token: string, more: Call["headers"] = {}) => ({
  headers: { authorization: `Bearer ${token}`, ...more },
});
export const outcome = async (answer: Response) => {
  const { error, field } = answer.ok ? ({} as Json) : await body(answer);
  return [answer.status, error, field].filter((part) => part !== undefined);
};
export const query = (token: string, asked: Json = {}, headers: Call["headers"] = {}) =>
  app.send("POST", "/query", {
    ...bearer(token, headers),
    body: { project: "shop", count_mode: "raw", ...asked },
  });
export const onPlanA = { filters: [{ field: "properties.plan", op: "eq", value: "a" }] };
