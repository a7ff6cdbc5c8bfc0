import { describe, expect, test } from "bun:test";
import { EmailDigests, lookupEmail } from "./email-digest";

describe("the address that is looked up", () => {
  test.each([
    [" Ada@Example.ORG\n", "ada@example.org"],
    ["o'neil+tag@localhost", "o'neil+tag@localhost"],
    ["JÜRGEN@MÜNCHEN.example", "jürgen@münchen.example"],
  ])("%j → %s", (given, normal) => expect(lookupEmail(given)).toBe(normal));

  test.each([[""], ["  "], ["none"], ["@"], ["a@"], ["@b"], ["a@b@c"], ["a b@c"]])(
    "%j is none",
    (given) => expect(lookupEmail(given)).toBeNull(),
  );

  test("254 characters fit, 255 do not", () => {
    const exact = `${"𝒳".repeat(252)}@b`;
    expect(lookupEmail(exact)).toBe(exact);
    expect(lookupEmail(`${exact}b`)).toBeNull();
  });
});

describe("a digest", () => {
  // These digests were made with `openssl dgst -sha256 -hmac` and `-mac HMAC -macopt hexkey:`, as definitions.md
  // describes it.
  const ofProject = "92c512d19d4ab9906ca055bb5f6a1b07fbb5ba2c3eebf4af1462cd3b0e6b8c23";
  const ofPortfolio = "87e97ff940c40cfc0f20eb92ca2b78fb831163c82eb30c8160eae9fe7ace0012";

  test("is that of definitions.md, by project and by portfolio", () => {
    const digests = new EmailDigests("secret of the installation");
    expect(digests.of("project:proj_a", "ada@example.org")).toBe(ofProject);
    expect(digests.of("portfolio:pf_a", "ada@example.org")).toBe(ofPortfolio);
    // Once more, with the key that is remembered now.
    expect(digests.of("project:proj_a", "ada@example.org")).toBe(ofProject);
  });

  test("differs by scope, address and secret", () => {
    const digests = new EmailDigests("secret of the installation");
    const found = new Set([
      ofProject,
      digests.of("project:proj_b", "ada@example.org"),
      digests.of("project:proj_a", "bob@example.org"),
      new EmailDigests("another").of("project:proj_a", "ada@example.org"),
    ]);
    expect(found.size).toBe(4);
  });
});
