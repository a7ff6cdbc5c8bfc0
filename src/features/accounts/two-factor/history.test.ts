import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../../../test/support/app/app";
import { password } from "../../../../test/support/app/person";
import { type Phone, turnOnFactor, withFactor } from "../../../../test/support/app/second-factor";
import { randomFrom, randomSeed } from "../../../../test/support/random/random";
import { clock, dayMs, hourMs, minuteMs, secondMs } from "../../../lib/clock";
import { totpStepAt } from "../../../lib/totp";

/** Random histories of log-ins, beside a model that is too simple to be wrong. */
let app: TestApp;
let world: Awaited<ReturnType<typeof withFactor>>;
beforeAll(async () => {
  app = await testApp();
  world = await withFactor(app);
});
afterAll(() => app.close());

const invalid = "401 INVALID_CODE";
const locked = "429 RATE_LIMITED";

/** Everything that decides whether a code lets somebody in. */
interface Model {
  isOn: boolean;
  phone: Phone;
  lastStep: number;
  recovery: Set<string>;
  /** The times of wrong codes by network: ten lock it until a quarter of an hour after the last. */
  readonly failures: Map<string, number[]>;
  readonly days: Map<number, number>;
}

const today = () => Math.floor(clock.nowMs() / dayMs);
const quarter = 15 * minuteMs;

/** The effect of a code on the model: the answer, and whether the code is used up. */
function expected(model: Model, network: string, sent: { code?: string; recovery_code?: string }) {
  const nowMs = clock.nowMs();
  const times = model.failures.get(network) ?? [];
  const isLocked = times.length >= 10 && (times.at(-1) ?? 0) + quarter > nowMs;
  if (isLocked || (model.days.get(today()) ?? 0) >= 100) return locked;
  const counted = times.length >= 10 ? [] : times.filter((timeMs) => timeMs + quarter > nowMs);
  model.failures.set(network, counted);
  if (sent.recovery_code !== undefined) {
    if (model.recovery.delete(sent.recovery_code)) return "200";
  } else {
    const now = totpStepAt(nowMs);
    for (const off of [-1, 0, 1]) {
      if (now + off <= model.lastStep || model.phone.code(off) !== sent.code) continue;
      model.lastStep = now + off;
      return "200";
    }
  }
  counted.push(nowMs);
  model.days.set(today(), (model.days.get(today()) ?? 0) + 1);
  return invalid;
}

const waits = [10 * secondMs, 31 * secondMs, 2 * minuteMs, 16 * minuteMs, 5 * hourMs];

test("a log-in takes what the model takes, over random histories", async () => {
  const random = randomFrom(randomSeed());
  const { ann, told } = world;
  let used = world.phone.code(-1);
  const model: Model = {
    ...{ isOn: true, phone: world.phone, lastStep: totpStepAt(clock.nowMs()) - 1 },
    ...{ recovery: new Set(world.phone.recoveryCodes), failures: new Map(), days: new Map() },
  };
  const networks = ["10.200.1.7", "10.200.2.7"];
  const codeOf = () => {
    const kind = random.below(10);
    if (kind < 2) return { code: used };
    if (kind < 6) return { code: "000000" };
    if (kind < 7) return { recovery_code: random.pick([...model.phone.recoveryCodes]) };
    return { code: model.phone.code(random.between(-2, 2)) };
  };
  for (let n = 0; n < 400; n++) {
    const where = `seed ${random.seed}, step ${n}`;
    // Half of the waits are short, so that locks are reached and not only waited out.
    world.later(random.chance(0.7) ? 10 * secondMs : random.pick(waits));
    const sent = codeOf();
    if (!model.isOn) {
      expect([where, (await world.logIn()).told]).toEqual([where, "200"]);
      if (random.chance(0.5)) continue;
      const phone = await turnOnFactor(ann);
      const recovery = new Set(phone.recoveryCodes);
      Object.assign(model, { isOn: true, phone, recovery, lastStep: totpStepAt(clock.nowMs()) });
      model.days.clear();
      continue;
    }
    if (random.chance(0.05)) {
      const now = await told("/auth/two-factor/disable", { password, ...sent });
      const wanted = expected(model, "the browser", sent);
      expect([where, sent, now]).toEqual([where, sent, wanted]);
      model.isOn = wanted !== "200";
      continue;
    }
    const network = random.pick(networks);
    const now = await world.enter(sent, network);
    const wanted = expected(model, network, sent);
    expect([where, network, sent, now]).toEqual([where, network, sent, wanted]);
    if (wanted === "200" && sent.code !== undefined) used = sent.code;
  }
}, 60_000);
