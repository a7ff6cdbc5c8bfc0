import { describe, expect, test } from "bun:test";
import { codeOf, textOf } from "../../test/support/suite/sources";
import { EmailDigests } from "../domain/email-digest";
import { ApiError } from "../domain/errors";
import { admit } from "./pipeline";
import { isRefusal } from "./refusal";
import { shapeBatch, shapeEvent, shapeIdentity } from "./shape";
import type { StepContext, Submission } from "./submission";

const receivedAtMs = Date.parse("2026-03-10T12:00:00.000Z");
const emailDigests = new EmailDigests("secret");
const later = (reason: string) => () => new ApiError("RATE_LIMITED", "Later.", { reason });
const unlimited = { takeRequest: () => null, takeEvents: () => null };
const rightClock = { isTrusted: () => true, refusal: () => null };
const disk = { refusal: () => null };
const context: StepContext = { limits: unlimited, clock: rightClock, disk, emailDigests };

/** A request that is stored, with what a test changes of it. */
function submission(
  shaped: ReturnType<typeof shapeEvent>,
  change: Partial<Submission> = {},
): Submission {
  if (isRefusal(shaped)) throw new Error(`refused: ${shaped.message}`);
  return {
    body: shaped,
    project: {
      id: "proj_a",
      accountId: "acc_a",
      allowedOrigins: "https://example.com",
      identify: "any",
      membership: null,
      exclusions: null,
      blocked: null,
    },
    excludedSender: null,
    origin: "https://example.com",
    automated: null,
    country: "DE",
    receivedAtMs,
    ...change,
  };
}
const track = (body: object, change: Partial<Submission> = {}, asked: Partial<StepContext> = {}) =>
  admit(submission(shapeEvent(body), change), { ...context, ...asked });

test("an event becomes an entry of its project", () => {
  expect(track({ event: "signup", user_id: "u" })).toEqual({
    kind: "accepted",
    entry: {
      kind: "events",
      projectId: "proj_a",
      receivedAtMs,
      events: [
        {
          name: "signup",
          timeMs: receivedAtMs,
          userId: "u",
          sessionId: null,
          country: "DE",
          properties: null,
          eventId: null,
        },
      ],
    },
  });
});

test("an identity becomes an entry of its project", () => {
  const body = shapeIdentity({ previous_id: "anon", user_id: "u", traits: { plan: "pro" } });
  expect(admit(submission(body), context)).toEqual({
    kind: "accepted",
    entry: {
      kind: "identity",
      projectId: "proj_a",
      receivedAtMs,
      previousId: "anon",
      userId: "u",
      traits: { plan: "pro" },
    },
  });
});

describe("an address in traits", () => {
  const traits = { email: " Ada@Example.org", plan: "pro" };
  const entryOf = (membership: Submission["project"]["membership"]) => {
    const body = shapeIdentity({ previous_id: "anon", user_id: "u", traits: { ...traits } });
    const ofAccount = { id: "proj_a", accountId: "acc_a", allowedOrigins: "*" };
    const project = {
      ...ofAccount,
      identify: "any",
      membership,
      exclusions: null,
      blocked: null,
    } as const;
    const outcome = admit(submission(body, { project }), context);
    return outcome.kind === "accepted" ? outcome.entry : outcome;
  };
  const own = { membership: null, digest: emailDigests.of("project:proj_a", "ada@example.org") };

  test("goes on as a digest of the project's scope", () => {
    const entry = entryOf(null);
    expect(entry).toMatchObject({ traits: { plan: "pro" }, emails: [own] });
    expect(entry).not.toHaveProperty("membership");
    expect(JSON.stringify(entry).toLowerCase()).not.toContain("ada");
  });
  test("and of the portfolio's, while the project is in one", () => {
    const digest = emailDigests.of("portfolio:pf_a", "ada@example.org");
    expect(entryOf({ id: "mem_a", portfolioId: "pf_a" })).toMatchObject({
      membership: "mem_a",
      emails: [own, { membership: "mem_a", digest }],
    });
  });
});

describe("a batch", () => {
  const batch = (...events: object[]) => admit(submission(shapeBatch({ events })), context);
  test("is one entry, in the order of its items", () => {
    const outcome = batch({ event: "a" }, { event: "b" });
    expect(outcome).toMatchObject({ entry: { events: [{ name: "a" }, { name: "b" }] } });
  });
  test("is refused whole for its first bad item, which is named", () => {
    expect(batch({ event: "a" }, { event: "b", timestamp: 5 }, { event: "" })).toMatchObject({
      kind: "refused",
      code: "INVALID_TIMESTAMP",
      index: 1,
    });
  });
  test("of one item names that item too", () => {
    expect(batch({})).toMatchObject({ code: "MISSING_FIELDS", field: "event", index: 0 });
  });
});

describe("the order of the steps", () => {
  const automated = { category: "automation_script", actor: "curl" } as const;
  const everything = { origin: "https://evil.test", automated };
  const limits = {
    takeRequest: later("rate_limit"),
    takeEvents: later("monthly_event_limit"),
  };
  const clock = { isTrusted: () => false, refusal: later("clock") };
  const reasonOf = (outcome: ReturnType<typeof admit>) =>
    outcome.kind === "not now" ? outcome.error.extras.reason : outcome;
  test("the clock comes first", () => {
    expect(reasonOf(track({}, everything, { limits, clock }))).toBe("clock");
  });
  test("then the origin", () => {
    expect(track({}, everything, { limits })).toMatchObject({ code: "ORIGIN_NOT_ALLOWED" });
  });
  test("then the sender", () => {
    expect(track({}, { ...everything, origin: null }, { limits })).toEqual({
      kind: "automated",
      sender: automated,
    });
  });
  test("then the rate, then the volume", () => {
    expect(reasonOf(track({}, {}, { limits }))).toBe("rate_limit");
    const withinRate = { ...limits, takeRequest: () => null };
    expect(reasonOf(track({}, {}, { limits: withinRate }))).toBe("monthly_event_limit");
  });
  test("then the fields", () => {
    expect(track({})).toMatchObject({ code: "MISSING_FIELDS", field: "event" });
  });
});

test("a clock in doubt is asked about senders that agree with it as about the others", () => {
  const witnesses: boolean[] = [];
  const clock = {
    isTrusted: () => false,
    refusal: (hasWitness: boolean) => {
      witnesses.push(hasWitness);
      return null;
    },
  };
  track({ event: "a", sent_at: receivedAtMs }, {}, { clock });
  track({ event: "a" }, {}, { clock });
  expect(witnesses).toEqual([true, false]);
});

test("the events of a request are asked for at once; an identity is none", () => {
  const asked: number[] = [];
  const takeEvents = (count: number) => {
    asked.push(count);
    return null;
  };
  const counting = { ...context, limits: { ...unlimited, takeEvents } };
  admit(submission(shapeEvent({ event: "a" })), counting);
  admit(submission(shapeBatch({ events: [{ event: "a" }, { event: "b" }] })), counting);
  admit(submission(shapeIdentity({ previous_id: "a", user_id: "b" })), counting);
  expect(asked).toEqual([1, 2]);
});

test("no step throws, whatever is sent and whoever refuses", () => {
  const source = "pipeline pipeline-steps fields properties shape token sender-clock refusal quota";
  const throwing = source.split(" ").filter((name) => {
    return /\bthrow\b/.test(codeOf(textOf(`src/ingest/${name}.ts`)));
  });
  expect(throwing).toEqual([]);
});
