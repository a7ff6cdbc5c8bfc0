import { describe, expect, test } from "bun:test";
import { dayMs, minuteMs } from "../lib/clock";
import { ObjectText, parseKeepingTexts } from "../lib/object-text";
import { acceptEvent, acceptIdentity } from "./fields";
import { isRefusal } from "./refusal";
import type { SubmittedEvent, SubmittedIdentity } from "./submission";

const nowMs = Date.parse("2026-03-10T12:00:00.000Z");

const accepted = (sent: SubmittedEvent) => {
  const event = acceptEvent(sent, nowMs, "DE");
  if (isRefusal(event)) throw new Error(`refused: ${event.message}`);
  return event;
};
const refused = (sent: SubmittedEvent) => {
  const refusal = acceptEvent(sent, nowMs, "DE");
  if (!isRefusal(refusal)) throw new Error("accepted");
  return [refusal.code, refusal.field];
};

test("an event with nothing but a name happens now", () => {
  expect(accepted({ event: "signup" })).toEqual({
    name: "signup",
    timeMs: nowMs,
    userId: null,
    sessionId: null,
    country: "DE",
    properties: null,
    eventId: null,
  });
});

test("null is the same as absent, and an empty id is none", () => {
  const nothing = accepted({ event: "signup" });
  const absent = {
    properties: null,
    user_id: null,
    session_id: null,
    timestamp: null,
    sent_at: null,
    event_id: null,
  };
  expect(accepted({ event: "signup", ...absent })).toEqual(nothing);
  expect(accepted({ event: "signup", user_id: "", session_id: "" })).toEqual(nothing);
});

describe("event", () => {
  test("has 1 to 256 code points", () => {
    expect(refused({})).toEqual(["MISSING_FIELDS", "event"]);
    expect(refused({ event: null })).toEqual(["MISSING_FIELDS", "event"]);
    expect(refused({ event: "" })).toEqual(["MISSING_FIELDS", "event"]);
    expect(accepted({ event: "e" }).name).toBe("e");
    expect(accepted({ event: " " }).name).toBe(" ");
    expect(accepted({ event: "é".repeat(256) }).name).toHaveLength(256);
    expect(accepted({ event: "😀".repeat(256) }).name).toHaveLength(512);
    expect(refused({ event: "e".repeat(257) })).toEqual(["MISSING_FIELDS", "event"]);
    expect(refused({ event: "😀".repeat(257) })).toEqual(["MISSING_FIELDS", "event"]);
  });
  test("keeps NUL and everything else", () => {
    expect(accepted({ event: "a\u0000'\"\n" }).name).toBe("a\u0000'\"\n");
  });
});

for (const field of ["user_id", "session_id"] as const) {
  test(`${field} has at most 256 code points`, () => {
    expect(accepted({ event: "e", [field]: "😀".repeat(256) })).toBeDefined();
    expect(refused({ event: "e", [field]: "😀".repeat(257) })).toEqual(["MISSING_FIELDS", field]);
    expect(refused({ event: "e", [field]: "a".repeat(257) })).toEqual(["MISSING_FIELDS", field]);
  });
}

test("a lone surrogate is refused in names and ids, a pair is not", () => {
  for (const lone of ["\ud800", "\udc00", "a\ud83d", "\ude00\ud83d"]) {
    expect(refused({ event: lone })).toEqual(["MISSING_FIELDS", "event"]);
    expect(refused({ event: "e", user_id: lone })).toEqual(["MISSING_FIELDS", "user_id"]);
    expect(refused({ event: "e", session_id: lone })).toEqual(["MISSING_FIELDS", "session_id"]);
  }
  expect(accepted({ event: "\ud83d\ude00" }).name).toBe("😀");
});

describe("timestamp", () => {
  const oldest = nowMs - 30 * dayMs;
  const newest = nowMs + 5 * minuteMs;
  test("lies between 30 days ago and 5 minutes ahead", () => {
    expect(accepted({ event: "e", timestamp: oldest }).timeMs).toBe(oldest);
    expect(accepted({ event: "e", timestamp: newest }).timeMs).toBe(newest);
    for (const timestamp of [
      oldest - 1,
      newest + 1,
      0,
      -1,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Math.floor(nowMs / 1000),
    ]) {
      expect(refused({ event: "e", timestamp })).toEqual(["INVALID_TIMESTAMP", undefined]);
    }
  });
  test("is cut to an integer", () => {
    expect(accepted({ event: "e", timestamp: nowMs + 0.9 }).timeMs).toBe(nowMs);
    expect(accepted({ event: "e", timestamp: newest - 0.1 }).timeMs).toBe(newest - 1);
  });
  test("is a number", () => {
    for (const timestamp of [String(nowMs), true, {}, [nowMs], ""]) {
      expect(refused({ event: "e", timestamp })).toEqual(["INVALID_TIMESTAMP", undefined]);
    }
  });
});

test("event_id has 1 to 64 of A-Z, a-z, 0-9, _ and -", () => {
  for (const event_id of ["a", "A-Z_0", "x".repeat(64)]) {
    expect(accepted({ event: "e", event_id }).eventId).toBe(event_id);
  }
  for (const event_id of ["", "x".repeat(65), "a b", "é", "a\n", "a.b"]) {
    expect(refused({ event: "e", event_id })).toEqual(["MISSING_FIELDS", "event_id"]);
  }
});

describe("properties", () => {
  const refusedFor = (text: string) => refused({ event: "e", properties: JSON.parse(text) });
  test("come with the code of what is wrong", () => {
    expect(refusedFor(`{"a":"${"x".repeat(8192)}"}`)).toEqual(["PROPERTIES_TOO_LARGE", undefined]);
    expect(refusedFor(`{"a":${"[".repeat(64)}${"]".repeat(64)}}`)).toEqual([
      "MISSING_FIELDS",
      "properties",
    ]);
    expect(refusedFor('{"a":1e999}')).toEqual(["INVALID_BODY", "properties"]);
  });
  test("are measured before and stored after cleaning", () => {
    const email = `{"email":"${"x".repeat(8192)}"}`;
    expect(refusedFor(email)).toEqual(["PROPERTIES_TOO_LARGE", undefined]);
    expect(
      accepted({ event: "e", properties: { email: "a@b.c", plan: "pro" } }).properties,
    ).toEqual({
      plan: "pro",
    });
  });
  test("that came as text stay text where nothing must be judged or taken out", () => {
    const sent = (text: string) => ({ event: "e", properties: new ObjectText(text) });
    const textOfBytes = (bytes: number): string => `{"é":"${"x".repeat(bytes - 9)}"}`;
    const whole = sent(textOfBytes(8192));
    expect(accepted(whole).properties).toBe(whole.properties);
    expect(refused(sent(textOfBytes(8193)))).toEqual(["PROPERTIES_TOO_LARGE", undefined]);
    const emails = '{"Email":"a@b.c","list":[{"e_mail":"x","userEmail":["a@b.c",1]}],"by":"email"}';
    expect(accepted(sent(emails)).properties).toEqual({
      list: [{ e_mail: "x", userEmail: [1] }],
      by: "email",
    });
  });
  test.each([
    ["full width", "ｅｍａｉｌ"],
    ["letterlike symbols", "ℯ𝓂𝒶𝒾𝓁"],
    ["a circle around each", "ⓤⓢⓔⓡ_Ⓔⓜⓐⓘⓛ"],
    ["a zero-width space", "e\u200bmail"],
    ["joiners, marks of direction, a byte order mark", "\u200de\u2060m\u202ea\ufeffil\u00ad"],
    ["a tag character of the last plane", "em\u{e0061}ail"],
  ])("hide no address under a key in other letters: %s", (_, key) => {
    const sent = { [key]: "a@b.c", nested: [{ [`my_${key}s`]: ["a@b.c", 1], plan: "pro" }] };
    const text = JSON.stringify(sent);
    const cleaned = { nested: [{ [`my_${key}s`]: [1], plan: "pro" }] };
    const kept = parseKeepingTexts(`{"p":${text}}`, "p") as { p: ObjectText };
    for (const properties of [JSON.parse(text), kept.p]) {
      expect(accepted({ event: "e", properties }).properties).toEqual(cleaned);
    }
    const traits = acceptIdentity({ previous_id: "a", user_id: "b", traits: JSON.parse(text) });
    expect(traits).toMatchObject({ traits: { nested: [{ plan: "pro" }] } });
  });
  test("in other letters stay text where no key says email, whatever the values say", () => {
    for (const text of ['{"plan":"ｅｍａｉｌ"}', '{"页面":"é","ema1l":"e\u200bma1l"}']) {
      const { p } = parseKeepingTexts(`{"p":${text}}`, "p") as { p: ObjectText };
      expect(accepted({ event: "e", properties: p }).properties).toBe(p);
    }
  });
  test("are kept exactly otherwise: keys in their order, __proto__, NUL, lone surrogates", () => {
    const text =
      '{"__proto__":{"x":1},"constructor":null,"":"\\u0000","\\ud800":"\\udfff","b":-0,"a":[]}';
    const { properties } = accepted({ event: "e", properties: JSON.parse(text) });
    expect(JSON.stringify(properties)).toBe(text.replace("-0", "0"));
    expect(properties).toHaveProperty("b", -0);
  });
});

describe("an identity", () => {
  const link = (sent: SubmittedIdentity) => {
    const identity = acceptIdentity(sent);
    return isRefusal(identity) ? [identity.code, identity.field] : identity;
  };
  test("needs both ids, 1 to 256 code points each", () => {
    expect(link({ user_id: "u" })).toEqual(["MISSING_FIELDS", "previous_id"]);
    expect(link({ previous_id: "", user_id: "u" })).toEqual(["MISSING_FIELDS", "previous_id"]);
    expect(link({ previous_id: "p" })).toEqual(["MISSING_FIELDS", "user_id"]);
    expect(link({ previous_id: "p", user_id: null })).toEqual(["MISSING_FIELDS", "user_id"]);
    const longest = "😀".repeat(256);
    expect(link({ previous_id: longest, user_id: "u" })).toEqual({
      previousId: longest,
      userId: "u",
      traits: null,
      email: null,
    });
    expect(link({ previous_id: "p".repeat(257), user_id: "u" })).toEqual([
      "MISSING_FIELDS",
      "previous_id",
    ]);
    expect(link({ previous_id: "p", user_id: "u".repeat(257) })).toEqual([
      "MISSING_FIELDS",
      "user_id",
    ]);
    expect(link({ previous_id: "\udc00", user_id: "u" })).toEqual([
      "MISSING_FIELDS",
      "previous_id",
    ]);
  });
  test("of equal ids needs traits", () => {
    expect(link({ previous_id: "u", user_id: "u" })).toEqual(["MISSING_FIELDS", "user_id"]);
    expect(link({ previous_id: "u", user_id: "u", traits: null })).toEqual([
      "MISSING_FIELDS",
      "user_id",
    ]);
    expect(link({ previous_id: "u", user_id: "u", traits: {} })).toEqual({
      previousId: "u",
      userId: "u",
      traits: {},
      email: null,
    });
  });
  test("keeps no key that contains email", () => {
    const traits = { email: "a@b.c", work: { Email_ok: true, title: "x" }, plan: null };
    expect(link({ previous_id: "p", user_id: "u", traits })).toEqual({
      previousId: "p",
      userId: "u",
      traits: { work: { title: "x" }, plan: null },
      email: "a@b.c",
    });
  });
  test("is looked up by traits.email alone, in its normal form", () => {
    const emailOf = (traits: SubmittedIdentity["traits"]) => {
      const identity = acceptIdentity({ previous_id: "p", user_id: "u", traits: traits ?? null });
      return isRefusal(identity) ? identity.code : identity.email;
    };
    expect(emailOf({ email: " Ada@Example.ORG " })).toBe("ada@example.org");
    const others = [
      { Email: "a@b.c" },
      { work: { email: "a@b.c" } },
      { email: ["a@b.c"] },
      { email: null },
      { email: "none" },
      {},
    ];
    for (const traits of others) expect(emailOf(traits)).toBeNull();
    const inherited: SubmittedIdentity["traits"] = Object.create({ email: "a@b.c" });
    expect(emailOf(inherited)).toBeNull();
  });
  test("has traits of at most 8,192 bytes", () => {
    const traits = { a: "x".repeat(8_192 - 8) };
    expect(link({ previous_id: "p", user_id: "u", traits })).toHaveProperty("traits", traits);
    const tooLarge = { a: "x".repeat(8_192 - 7) };
    expect(link({ previous_id: "p", user_id: "u", traits: tooLarge })).toEqual([
      "PROPERTIES_TOO_LARGE",
      undefined,
    ]);
  });
});
