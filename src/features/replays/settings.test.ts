import { describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp } from "../../../test/support/app/app";
import { eachWithOwnAccount } from "../../../test/support/app/own-account";
import { recordedProject } from "../../../test/support/app/recording";
import { badSelectors, goodSelectors } from "../../../test/support/app/selectors";

let app: TestApp;
let token = "";
eachWithOwnAccount(async (own) => {
  app = own;
  ({ token } = await recordedProject(app));
});

const settings = () => app.get("/replays/settings?project=shop");
const config = async (query = `?token=${token}`) => {
  const response = await app.send("GET", `/replays/config${query}`);
  return { response, json: (await response.json()) as Json };
};
async function change(body: object): Promise<Json> {
  const call = { key: app.key, body: { project: "shop", ...body } };
  const response = await app.send("PUT", "/replays/settings", call);
  return { status: response.status, ...((await response.json()) as Json) };
}

describe("settings", () => {
  test("have defaults; what is not named stays as it is", async () => {
    const first = {
      ...{ project: "shop", enabled: true, start_mode: "after_consent", sample_rate: 1 },
      ...{ mask_selectors: [], block_selectors: [], retention_days: 30 },
    };
    expect(await settings()).toMatchObject(first);
    expect((await settings()).snippet).toMatch(
      new RegExp(`^<script defer src="http[^"]+/replay\\.js" data-token="${token}"></script>$`),
    );
    app.setTime(noonMs + 1_000);
    const sampled = await change({ sample_rate: 0.25, block_selectors: [".ad"] });
    const updated_at = new Date(noonMs + 1_000).toISOString();
    const second = { ...first, sample_rate: 0.25, block_selectors: [".ad"], updated_at };
    expect(sampled).toMatchObject({ status: 200, ok: true, ...second });
    const kept = await change({ start_mode: "manual", retention_days: 1 });
    expect(kept).toMatchObject({ ...second, start_mode: "manual", retention_days: 1 });
    expect((await config()).json).toEqual({
      ...{ enabled: true, start_mode: "manual", sample_rate: 0.25 },
      ...{ mask_selectors: [], block_selectors: [".ad"] },
    });
  });

  test("are refused beyond their bounds, and taken up to them", async () => {
    const long = `.${"a".repeat(199)}`;
    const many = Array.from({ length: 50 }, (_, at) => `.a${at}`);
    for (const taken of [
      ...[{ sample_rate: 0 }, { sample_rate: 1 }, { retention_days: 1 }, { retention_days: 365 }],
      ...[{ mask_selectors: [long] }, { block_selectors: many }],
    ]) {
      expect([taken, (await change(taken)).status]).toEqual([taken, 200]);
    }
    for (const refused of [
      ...[{ sample_rate: -0.1 }, { sample_rate: 1.1 }, { start_mode: "now" }],
      ...[{ retention_days: 0 }, { retention_days: 366 }],
      ...[{ mask_selectors: [`${long}a`] }, { block_selectors: [...many, ".b"] }],
    ]) {
      const { status, error } = await change(refused);
      expect([refused, status, error]).toEqual([refused, 400, "MISSING_FIELDS"]);
    }
  });

  test("what is no selector of elements is refused by its name, and nothing is changed", async () => {
    const kept = { mask_selectors: goodSelectors.slice(0, 20), block_selectors: [".ad"] };
    expect((await change(kept)).status).toBe(200);
    for (const field of ["mask_selectors", "block_selectors"]) {
      for (const bad of badSelectors) {
        const refused = await change({ sample_rate: 0.5, [field]: [".card", bad] });
        expect(refused).toMatchObject({ status: 400, error: "MISSING_FIELDS" });
        expect([bad, refused.field]).toEqual([bad, `${field}[1]`]);
        // An empty text is refused by its length.
        if (bad !== "") expect(refused.message).toContain(`"${field}[1]" is no CSS selector`);
      }
    }
    expect(await settings()).toMatchObject({ sample_rate: 1, ...kept });
    expect((await config()).json).toMatchObject({ sample_rate: 1, ...kept });
  });
});

test("what a recorder reads is kept for a minute, and asks for a token", async () => {
  const { response } = await config();
  expect(response.headers.get("cache-control")).toBe("public, max-age=60");
  const refusal = async (query: string) => {
    const { response, json } = await config(query);
    return [response.status, json.error];
  };
  expect(await refusal("")).toEqual([400, "MISSING_FIELDS"]);
  expect(await refusal(`?token=aat_${"0".repeat(48)}`)).toEqual([401, "INVALID_TOKEN"]);
});
