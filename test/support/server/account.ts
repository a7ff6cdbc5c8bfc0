import { ask } from "./server";

/** An ordinary sender: the default agents of HTTP libraries count as automated. */
export const userAgent = "sightline-e2e/1.0";
export const automatedAgent = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

/** The tests' requests send `Host: localhost`; the cookie needs an Origin that fits it. */
export const ownOrigin = "http://localhost";
export const login = { email: "admin@example.com", password: "correct horse battery" };

/** The way a new user goes: first-run set-up, an API key. Returns the key. */
export async function setUpAccount(url: string): Promise<string> {
  const created = await ask(url, "POST", "/auth/setup", { Origin: ownOrigin }, login);
  if (created.status !== 201) throw new Error(`set-up answered ${created.status}: ${created.body}`);
  const cookie = created.headers.get("set-cookie")?.split(";")[0] ?? "";
  const headers = { Cookie: cookie, Origin: ownOrigin };
  const key = await ask(url, "POST", "/account/api-key", headers);
  if (key.status !== 201) throw new Error(`the API key answered ${key.status}: ${key.body}`);
  return JSON.parse(key.body).api_key;
}

export async function createProject(url: string, key: string, name: string): Promise<Project> {
  const body = { name, allowed_origins: `https://${name}.example.com` };
  const reply = await ask(url, "POST", "/projects", { "X-API-Key": key }, body);
  if (reply.status !== 201)
    throw new Error(`a new project answered ${reply.status}: ${reply.body}`);
  const { id, project_token } = JSON.parse(reply.body);
  return { id, name, token: project_token };
}

/** GETs with the API key and returns the body; the caller says what it looks like. */
export async function read<T>(url: string, key: string, path: string): Promise<T> {
  const reply = await ask(url, "GET", path, { "X-API-Key": key });
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.body}`);
  return JSON.parse(reply.body);
}
