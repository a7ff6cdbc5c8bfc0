import type { Call, Json, TestApp } from "./app";

const origin = "http://localhost:3000";
export const password = "correct horse battery";

/** Somebody with an account who is logged in to the dashboard. */
export interface Person {
  readonly id: string;
  readonly email: string;
  /** The browser session, as a Cookie header. */
  readonly cookie: string;
  /** Status and body. */
  ask(method: string, path: string, sent?: Json): Promise<readonly [number, Json]>;
}

/** The administrator, who set the server up. */
export const owner = (app: TestApp): Promise<Person> => person(app, app.cookie);

/** Logs in; each person comes from an address of their own, because sign-ins are counted by address. */
export async function logIn(app: TestApp, email: string, secret = password): Promise<Person> {
  const call: Call = { body: { email, password: secret }, from: nextAddress() };
  return person(app, cookieOf(await app.send("POST", "/auth/login", call)));
}

/** Only with REGISTRATION=open. */
export async function signUp(app: TestApp, email: string): Promise<Person> {
  const call: Call = { body: { email, password }, from: nextAddress() };
  return person(app, cookieOf(await app.send("POST", "/auth/signup", call)));
}

async function person(app: TestApp, cookie: string): Promise<Person> {
  const ask: Person["ask"] = async (method, path, sent) => {
    const headers = { cookie, origin };
    const call = sent === undefined ? { headers } : { headers, body: sent };
    const answer = await app.send(method, path, call);
    return [answer.status, (await answer.json()) as Json];
  };
  const [, { id, email }] = await ask("GET", "/account");
  return { id: String(id), email: String(email), cookie, ask };
}

function cookieOf(answer: Response): string {
  if (!answer.ok) throw new Error(`Nobody was let in: ${answer.status}.`);
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

let addresses = 0;
const nextAddress = (): string => {
  addresses += 1;
  return `198.51.${(addresses >> 8) % 256}.${addresses % 256}`;
};
