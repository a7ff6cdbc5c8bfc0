import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import {
  type Asked,
  ask,
  codeOf,
  exchange,
  newVerifier,
  poll,
  press,
  told,
} from "../../../test/support/app/sign-in";
import { cases } from "../../../test/support/random/cases";
import { minuteMs } from "../../lib/clock";
import { approvalMs, exchangeCodeMs, wrongCodesMax } from "../../store/control/auth-requests";

/** The table of states, played at random against a model that is nothing but that table. */
let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const steps = ["approve", "deny", "exchange", "wrong code", "wrong verifier", "wait"] as const;
type Step = (typeof steps)[number];

class Model {
  state: "pending" | "approved" | "exchanged" | "revoked" | "expired" = "pending";
  wrong = 0;
  nowMs = 0;
  untilMs: number;

  constructor(readonly mode: "interactive" | "detached") {
    this.untilMs = approvalMs[mode];
  }

  /** Returns the answer to a step. */
  take(step: Step, waitMs: number): string {
    if (step === "wait") return this.#wait(waitMs);
    if (step === "approve" || step === "deny") return this.#press(step);
    return this.#exchange(step);
  }

  #wait(waitMs: number): string {
    this.nowMs += waitMs;
    const isOpen = this.state === "pending" || this.state === "approved";
    if (isOpen && this.nowMs >= this.untilMs) this.state = "expired";
    return this.polled();
  }

  polled(): string {
    if (this.state === "expired") return "410 AUTH_REQUEST_EXPIRED";
    return this.state === "revoked" ? "410 AUTH_REQUEST_REVOKED" : this.state;
  }

  #press(button: "approve" | "deny"): string {
    if (this.state !== "pending") {
      const showsAgain = this.mode === "detached" && button === "approve";
      if (this.state === "approved" && showsAgain) return "200";
      if (this.state === "exchanged" || this.state === "approved") return "409";
      return "410";
    }
    this.state = button === "approve" ? "approved" : "revoked";
    this.untilMs = this.nowMs + exchangeCodeMs[this.mode];
    return this.mode === "interactive" ? "302" : "200";
  }

  #exchange(step: "exchange" | "wrong code" | "wrong verifier"): string {
    if (this.state === "exchanged") return "409 AUTH_REQUEST_ALREADY_EXCHANGED";
    if (this.state === "pending") return "400 INVALID_STATE";
    if (this.state !== "approved") return this.polled();
    if (step === "exchange") {
      this.state = "exchanged";
      return "200";
    }
    this.wrong += 1;
    if (this.wrong === wrongCodesMax) this.state = "revoked";
    return `401 INVALID_${step === "wrong code" ? "EXCHANGE_CODE" : "CODE_VERIFIER"}`;
  }
}

const { verifier, challenge } = newVerifier();
const wrongCode = `aae_${"f".repeat(48)}`;

async function play(asked: Asked, code: string, step: Step): Promise<string> {
  switch (step) {
    case "approve":
    case "deny":
      return String((await press(app, asked, step)).status);
    case "exchange":
      return told(await exchange(app, asked, code, { code_verifier: verifier }));
    case "wrong code":
      return told(await exchange(app, asked, wrongCode, { code_verifier: verifier }));
    case "wrong verifier":
      return told(await exchange(app, asked, code, { code_verifier: challenge }));
    case "wait":
      return polled(asked);
  }
}

async function polled(asked: Asked): Promise<string> {
  const answer = await poll(app, asked);
  return answer.status === 200 ? String(((await answer.json()) as Json).status) : told(answer);
}

test("goes from state to state as the table says", async () => {
  const waits = [minuteMs, 5 * minuteMs, 15 * minuteMs - 1, 60 * minuteMs, 24 * 60 * minuteMs];
  const history = fc.array(fc.tuple(fc.constantFrom(...steps), fc.constantFrom(...waits)), {
    minLength: 1,
    maxLength: 14,
  });
  const mode = fc.constantFrom("interactive" as const, "detached" as const);
  await fc.assert(
    fc.asyncProperty(mode, history, async (ofMode, taken) => {
      app.setTime(noonMs);
      const model = new Model(ofMode);
      const asked = await ask(app, { mode: ofMode, code_challenge: challenge });
      let code = wrongCode;
      for (const [step, waitMs] of taken) {
        const expected = model.take(step, waitMs);
        app.setTime(noonMs + model.nowMs);
        const got = await play(asked, code, step);
        expect([step, got]).toEqual([step, expected]);
        if (step === "approve" && model.state === "approved") code = codeOf(app, asked);
        expect(await polled(asked)).toBe(model.polled());
      }
    }),
    { numRuns: cases(8, 30) },
  );
});
