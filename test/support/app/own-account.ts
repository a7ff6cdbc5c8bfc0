import { afterAll, beforeAll, beforeEach } from "bun:test";
import { noonMs, type TestApp, testApp } from "./app";
import { callsWithKey } from "./calls-with-key";
import { signUp } from "./person";

let accounts = 0;

/**
 * For tests that look at nothing but what one account has. They share an app, which takes longer to open than most of
 * them run; each begins at noon, with a new account in place of the first one: its key, its cookie, no project.
 */
export function eachWithOwnAccount(begin: (app: TestApp) => Promise<void> | void): void {
  let shared: TestApp;
  beforeAll(async () => {
    shared = await testApp({ REGISTRATION: "open" });
  });
  beforeEach(async () => {
    shared.setTime(noonMs);
    const { cookie, ask } = await signUp(shared, `account${++accounts}@example.com`);
    const [, { api_key: key }] = await ask("POST", "/account/api-key");
    await begin({ ...shared, ...callsWithKey(shared.send, String(key)), cookie });
  });
  afterAll(() => shared.close());
}
