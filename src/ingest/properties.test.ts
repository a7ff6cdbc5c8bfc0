import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { propertiesBytesMax, propertiesDepthMax } from "../domain/limits";
import { type JsonObject, judgeProperties, removeEmailKeys, removeEmails } from "./properties";

const parsed = (text: string): JsonObject => JSON.parse(text);
const faultOf = (object: JsonObject) => judgeProperties(object).fault;

/** An object whose JSON text has exactly the given number of bytes: `{"a":"…"}` around a text. */
const ofBytes = (bytes: number): JsonObject => ({ a: "x".repeat(bytes - 8) });

describe("the bytes of properties", () => {
  test("are counted as the UTF-8 of JSON.stringify, to the byte", () => {
    expect(faultOf(ofBytes(propertiesBytesMax))).toBeNull();
    expect(faultOf(ofBytes(propertiesBytesMax + 1))).toBe("too large");
  });

  test.each([
    ["two-byte characters", "é", 2],
    ["three-byte characters", "€", 3],
    ["pairs of surrogates", "😀", 4],
    ["lone surrogates, which are written as escapes", "\ud800", 6],
    ["control characters, which are written as escapes", "\u0001", 6],
    ["quotes", '"', 2],
    ["backslashes", "\\", 2],
    ["line feeds", "\n", 2],
  ])("%s", (_, character, bytes) => {
    const room = propertiesBytesMax - 8;
    const count = Math.floor(room / bytes);
    const filler = "x".repeat(room - count * bytes);
    expect(faultOf({ a: character.repeat(count) + filler })).toBeNull();
    expect(faultOf({ a: `${character.repeat(count)}${filler}x` })).toBe("too large");
  });

  test("keys, numbers, literals and punctuation count too", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(200), (object, size) => {
        const filled: JsonObject = { ...object, [`f${"x".repeat(size * 45)}`]: true };
        const bytes = Buffer.byteLength(JSON.stringify(filled));
        expect(faultOf(filled) === "too large").toBe(bytes > propertiesBytesMax);
      }),
    );
  });

  test("are those of the numbers as they are written again, not as they were sent", () => {
    const numbers = Array.from({ length: 400 }, () => "1e20");
    expect(faultOf(parsed(`{"a":[${numbers}]}`))).toBe("too large");
    expect(faultOf(parsed(`{"a":[${numbers.slice(0, 370)}]}`))).toBeNull();
  });
});

describe("the depth of properties", () => {
  const nested = (levels: number): JsonObject =>
    parsed(`${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`);
  const nestedArrays = (levels: number): JsonObject =>
    parsed(`{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`);

  test("is at most 64, the object itself counted", () => {
    expect(faultOf(nested(propertiesDepthMax))).toBeNull();
    expect(faultOf(nested(propertiesDepthMax + 1))).toBe("too deep");
    expect(faultOf(nestedArrays(propertiesDepthMax))).toBeNull();
    expect(faultOf(nestedArrays(propertiesDepthMax + 1))).toBe("too deep");
  });

  test("of a hundred thousand levels costs no stack", () => {
    expect(faultOf(nestedArrays(100_000))).not.toBeNull();
    expect(faultOf(nested(100_000))).not.toBeNull();
  });
});

test("a number that no double holds is found at any depth", () => {
  expect(faultOf(parsed('{"a":[{"b":1e999}]}'))).toBe("not finite");
  expect(faultOf(parsed('{"a":-1e999}'))).toBe("not finite");
  expect(faultOf(parsed('{"a":1.7976931348623157e308,"b":1e-999,"c":-0}'))).toBeNull();
});

describe("texts under keys that contain email", () => {
  const cleaned = (text: string): string => {
    const object = parsed(text);
    if (judgeProperties(object).hasEmailKey) removeEmails(object);
    return JSON.stringify(object);
  };

  test.each([
    ['{"email":"a@b.c","x":1}', '{"x":1}'],
    ['{"userEMail":"a@b.c"}', "{}"],
    ['{"EMAIL_HASH":"1f"}', "{}"],
    ['{"my-email-2":"x"}', "{}"],
    ['{"emailemail":"x"}', "{}"],
    ['{"eemail":"x"}', "{}"],
    ['{"a":{"b":[{"Email":"x","c":2}]}}', '{"a":{"b":[{"c":2}]}}'],
    ['{"emails":["a@b.c","d@e.f",3]}', '{"emails":[3]}'],
    ['{"emails":[["a@b.c"],[1]]}', '{"emails":[[],[1]]}'],
    ['{"email":{"address":"a@b.c","verified":true}}', '{"email":{"verified":true}}'],
    ['{"__proto__":{"email":"a@b.c"}}', '{"__proto__":{}}'],
    ['{"email":"","b":""}', '{"b":""}'],
  ])("%s becomes %s", (sent, stored) => expect(cleaned(sent)).toBe(stored));

  test.each([
    '{"email_verified":true,"email_count":3,"email":null}',
    '{"e_mail":"x","mail":"x","emai":"x","mailbox":"x","ema il":"x"}',
    '{"text":"my email is a@b.c"}',
    '{"emaıl":"dotless","eмail":"cyrillic"}',
    '{"a":["email"]}',
  ])("%s stays as it was sent", (sent) => expect(cleaned(sent)).toBe(sent));

  test("of traits go with all that is under them", () => {
    const traits = parsed('{"email":"x","Email_ok":true,"a":[{"emails":{"b":1},"c":2}],"d":null}');
    removeEmailKeys(traits);
    expect(JSON.stringify(traits)).toBe('{"a":[{"c":2}],"d":null}');
  });
});
