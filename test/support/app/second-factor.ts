import { clock } from "../../../src/lib/clock";
import { fromBase32, totpCode, totpStepAt, totpStepMs } from "../../../src/lib/totp";
import type { Json, TestApp } from "./app";
import { owner, type Person, password } from "./person";

/** The authenticator app of a person. */
export interface Phone {
  readonly recoveryCodes: readonly string[];
  /** The code that it shows now, or some steps of 30 seconds later. */
  code(stepsLater?: number): string;
}

/** Shows the codes of a secret that was set up. */
export const codesOf =
  (secret: unknown): Phone["code"] =>
  (stepsLater = 0) =>
    totpCode(fromBase32(String(secret)), totpStepAt(clock.nowMs()) + stepsLater);

/** A person sets the second factor up, and turns it on. */
export async function turnOnFactor(person: Person): Promise<Phone> {
  const [, { secret }] = await person.ask("POST", "/auth/two-factor/setup", { password });
  const code = codesOf(secret);
  const [status, answer] = await person.ask("POST", "/auth/two-factor/enable", { code: code() });
  if (status !== 200) throw new Error(`The factor is not on: ${JSON.stringify(answer)}`);
  return { recoveryCodes: answer.recovery_codes as readonly string[], code };
}

let networks = 0;
/** A network of its own, so that neither limits nor locks of another call count. */
export const elsewhere = (): string => `10.${(++networks >> 8) & 255}.${networks & 255}.7`;

export interface Told {
  /** The status, and the code of a refusal. */
  readonly told: string;
  readonly body: Json;
  /** The session that the answer brings. */
  readonly cookie: string;
}

/** The owner with a second factor, and log-ins of theirs. */
export async function withFactor(app: TestApp) {
  const ann = await owner(app);
  const phone = await turnOnFactor(ann);
  const later = (ms: number) => app.setTime(clock.nowMs() + ms);
  later(totpStepMs);
  const post = async (path: string, sent: Json, from = elsewhere()): Promise<Told> => {
    const answer = await app.send("POST", path, { body: sent, from });
    const body = (await answer.json()) as Json;
    const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    return { told: toldIn(answer.status, body), body, cookie };
  };
  const logIn = (from?: string) => post("/auth/login", { email: ann.email, password }, from);
  const tokenOf = async () => String((await logIn()).body.login_token);
  const second = (token: string, sent: Json, from?: string) =>
    post("/auth/login/second", { login_token: token, ...sent }, from);
  return {
    ...{ ann, phone, later, post, logIn, tokenOf, second },
    /** A whole log-in with this code. */
    enter: async (sent: Json, from?: string) => (await second(await tokenOf(), sent, from)).told,
    /** Asks as the owner's browser. */
    told: async (path: string, sent?: Json) => toldIn(...(await ann.ask("POST", path, sent))),
    /** The actions in the audit log, oldest first. */
    entries: () =>
      app.deps.control.db
        .all<{ action: string }>("select action from audit_entry order by rowid")
        .map(({ action }) => action),
  };
}

const toldIn = (status: number, { error }: Json): string =>
  error === undefined ? String(status) : `${status} ${error}`;
