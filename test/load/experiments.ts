import { Database } from "bun:sqlite";
import { join } from "node:path";
import { dayMs } from "../../src/lib/clock";
import { ask, type Server } from "../support/server/server";
import { variants } from "./dataset";
import { goal, type Window } from "./questions";
import type { World } from "./world";

/** Experiments that began the given number of days ago: made now and dated back. */
export async function experimentsSince(
  server: Server,
  { key, dataDir, endMs }: World,
  project: World["big"],
): Promise<Readonly<Record<Window, string>>> {
  const since = async (days: Window): Promise<string> => {
    const name = `signup_${days}`;
    const body = { project: project.name, name, variants, goal_event: goal };
    const reply = await ask(server.url, "POST", "/experiments", { "X-API-Key": key }, body);
    if (reply.status !== 201) throw new Error(`${name} answered ${reply.status}: ${reply.body}`);
    const { id } = JSON.parse(reply.body);
    const database = new Database(join(dataDir, "control.db"));
    database.run("update experiment set created_at = ? where id = ?", [endMs - days * dayMs, id]);
    database.close();
    return id;
  };
  return { 7: await since(7), 30: await since(30), 90: await since(90) };
}
