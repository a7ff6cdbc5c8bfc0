import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { body, closeShares, create, openShares, outcome } from "../../../test/support/app/shares";

beforeAll(openShares);
afterAll(closeShares);

describe("what may frame a share is an origin", () => {
  test.each([
    ["https://a.example", "https://a.example"],
    ["HTTP://A.example:80/", "http://a.example"],
    ["https://intranet:8443", "https://intranet:8443"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["http://192.0.2.1", "http://192.0.2.1"],
    ["https://[2001:DB8::1]:444", "https://[2001:db8::1]:444"],
  ])("such as %s", async (one, kept) => {
    const { frame } = await body(await create({ frame: [one, kept] }));
    expect(frame).toEqual([kept]);
  });

  test.each([
    // without a scheme, or with one that no page has
    ...["foo", "a.example", "localhost:3000", "//a.example", "ftp://a.example", "null", "", "*"],
    // with more than an origin, or less
    ...[
      "https://",
      "https:///",
      "https://a.example/x",
      "https://a.example//",
      "https://a.example?x",
    ],
    ...[
      "https://a.example#x",
      "https://u@a.example",
      "https://a.example:99999",
      "https://a..example",
    ],
    // several in one, and what a header would end at
    ...["https://*.a.example", "https://a.example,https://b.example", " https://a.example"],
    ...["https://a.example; script-src *", "https://a.example\n"],
  ])("but not %j", async (one) => {
    const answer = await create({ frame: ["https://a.example", one] });
    expect(await outcome(answer)).toEqual([400, "MISSING_FIELDS", "frame"]);
  });

  test("and who sent something else is told what it looks like", async () => {
    for (const one of ["foo", "https://a..example"]) {
      const { message } = await body(await create({ frame: [one] }));
      const form =
        "an origin with http:// or https://, without a path, such as https://example.com";
      expect(message).toBe(`Each of "frame" must be ${form}.`);
    }
  });
});
