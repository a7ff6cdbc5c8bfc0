import { describe, expect, test } from "bun:test";
import { EmailDigests } from "../domain/email-digest";
import { ApiError } from "../domain/errors";
import { admit } from "./pipeline";
import { isRefusal } from "./refusal";
import { shapeBatch, shapeEvent, shapeIdentity } from "./shape";
import type { Submission } from "./submission";

const receivedAtMs = Date.parse("2026-03-10T12:00:00.000Z");
const emailDigests = new EmailDigests("secret");
const tooMany = (reason: string) => () => {
  throw new ApiError("RATE_LIMITED", "Later.", { reason });
};

/** A request that is stored, with what a test changes of it. */
function submission(
  shaped: ReturnType<typeof shapeEvent>,
  change: Partial<Submission> = {},
): Submission {
  if (isRefusal(shaped)) throw new Error(`refused: ${shaped.message}`);
  return {
    sent: shaped,
    project: {
      id: "proj_a",
      accountId: "acc_a",
      allowedOrigins: "https://example.com",
      identify: "any",
      membership: null,
    },
    origin: "https://example.com",
    automated: null,
    country: "DE",
    receivedAtMs,
    allowance: { spendRequest: () => undefined, reserveEvents: () => undefined },
    emailDigests,
    ...change,
  };
}
const track = (body: object, change?: Partial<Submission>) =>
  admit(submission(shapeEvent(body), change));

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
  const sent = shapeIdentity({ previous_id: "anon", user_id: "u", traits: { plan: "pro" } });
  expect(admit(submission(sent))).toEqual({
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
    const sent = shapeIdentity({ previous_id: "anon", user_id: "u", traits: { ...traits } });
    const ofAccount = { id: "proj_a", accountId: "acc_a", allowedOrigins: "*" };
    const project = { ...ofAccount, identify: "any", membership } as const;
    const outcome = admit(submission(sent, { project }));
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
  const batch = (...events: object[]) => admit(submission(shapeBatch({ events })));
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
  const everything = {
    origin: "https://evil.test",
    automated,
    allowance: {
      spendRequest: tooMany("rate_limit"),
      reserveEvents: tooMany("monthly_event_limit"),
    },
  };
  test("origin comes first", () => {
    expect(track({}, everything)).toMatchObject({ code: "ORIGIN_NOT_ALLOWED" });
  });
  test("then the sender", () => {
    expect(track({}, { ...everything, origin: null })).toEqual({
      kind: "automated",
      sender: automated,
    });
  });
  test("then the rate, then the volume", () => {
    const { allowance } = everything;
    expect(() => track({}, { allowance })).toThrow(
      expect.objectContaining({ extras: { reason: "rate_limit" } }),
    );
    const withinRate = { ...allowance, spendRequest: () => undefined };
    expect(() => track({}, { allowance: withinRate })).toThrow(
      expect.objectContaining({ extras: { reason: "monthly_event_limit" } }),
    );
  });
  test("then the fields", () => {
    expect(track({})).toMatchObject({ code: "MISSING_FIELDS", field: "event" });
  });
});

test("the events of a request are asked for at once; an identity is none", () => {
  const asked: number[] = [];
  const allowance = {
    spendRequest: () => undefined,
    reserveEvents: (n: number) => void asked.push(n),
  };
  track({ event: "a" }, { allowance });
  admit(submission(shapeBatch({ events: [{ event: "a" }, { event: "b" }] }), { allowance }));
  admit(submission(shapeIdentity({ previous_id: "a", user_id: "b" }), { allowance }));
  expect(asked).toEqual([1, 2]);
});
