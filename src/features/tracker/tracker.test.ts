import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { type TestApp, testApp } from "../../../test/support/app/app";
import { account } from "../../store/control/tables";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

describe("the browser script", () => {
  for (const path of ["/tracker.js", "/tracker.src.js"]) {
    test(`${path} is public, cacheable by everybody, and names its checksum`, async () => {
      const response = await app.send("GET", path);
      expect(response.status).toBe(200);
      const { headers } = response;
      expect(headers.get("content-type")).toBe("application/javascript");
      expect(headers.get("cache-control")).toBe("public, max-age=3600, s-maxage=604800");
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("x-agent-analytics-tracker-checksum-algorithm")).toBe("sha256");
      const text = await response.text();
      expect(headers.get("x-agent-analytics-tracker-sha256")).toBe(
        createHash("sha256").update(text).digest("hex"),
      );
      const etag = headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[^"]+"$/);
      const again = await app.send("GET", path, { headers: { "if-none-match": etag } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe("");
    });
  }

  test("the served one begins with a comment that names the readable one", async () => {
    const text = await (await app.send("GET", "/tracker.js")).text();
    expect(text).toStartWith("/*/tracker.src.js*/");
  });
});

describe("GET /experiments/config", () => {
  test("lists nothing where no experiment runs, for a minute", async () => {
    const project = await app.makeProject("shop");
    const response = await app.send("GET", `/experiments/config?token=${project.token}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    expect(await response.json()).toEqual({ experiments: [] });
  });

  test("lists the active ones, oldest first, with their weights", async () => {
    const project = await app.makeProject("tested");
    const of = { project: "tested", goal_event: "signup" };
    const make = (name: string, more: object) =>
      app.post("/experiments", { ...of, name, ...more }) as Promise<{ readonly id?: string }>;
    await make("hero", { variants: ["control", "b"], weights: [90, 10] });
    const { id } = await make("price", { variants: ["a", "b", "c"] });
    const listed = async () => {
      const answer = await app.send("GET", `/experiments/config?token=${project.token}`);
      return ((await answer.json()) as { experiments: { key: string }[] }).experiments;
    };
    const hero = {
      key: "hero",
      variants: [
        { key: "control", weight: 90 },
        { key: "b", weight: 10 },
      ],
    };
    const price = {
      key: "price",
      variants: [
        { key: "a", weight: 34 },
        { key: "b", weight: 33 },
        { key: "c", weight: 33 },
      ],
    };
    expect<unknown>(await listed()).toEqual([hero, price]);
    const become = (status: string) =>
      app.send("PATCH", `/experiments/${id}`, { key: app.key, body: { status } });
    await become("paused");
    expect<unknown>(await listed()).toEqual([hero]);
    await become("active");
    expect<unknown>(await listed()).toEqual([hero, price]);
    await become("completed");
    expect<unknown>(await listed()).toEqual([hero]);
    await app.send("DELETE", `/projects/${project.id}`, { key: app.key });
    expect(await refused(`?token=${project.token}`)).toEqual([401, "INVALID_TOKEN"]);
  });

  test("lists nothing for an account that is on the Free plan", async () => {
    const project = await app.makeProject("downgraded");
    await app.post("/experiments", {
      project: "downgraded",
      name: "hero",
      variants: ["a", "b"],
      goal_event: "signup",
    });
    const setTier = (tier: "free" | "pro", complimentary: boolean) =>
      app.deps.control.write(() =>
        app.deps.control.db.update(account).set({ tier, complimentary }).run(),
      );
    const count = async () => {
      const answer = await app.send("GET", `/experiments/config?token=${project.token}`);
      expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
      return ((await answer.json()) as { experiments: unknown[] }).experiments.length;
    };
    expect(await count()).toBe(1);
    setTier("free", false);
    expect(await count()).toBe(0);
    setTier("free", true);
    expect(await count()).toBe(1);
  });

  test("is open to pages of every origin, without credentials", async () => {
    const project = await app.makeProject("anywhere");
    const headers = { origin: "https://not-listed.example" };
    const answer = await app.send("GET", `/experiments/config?token=${project.token}`, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("needs a token, and one that is known", async () => {
    expect(await refused("")).toEqual([400, "MISSING_FIELDS"]);
    expect(await refused("?token=")).toEqual([400, "MISSING_FIELDS"]);
    expect(await refused(`?token=aat_${"0".repeat(48)}`)).toEqual([401, "INVALID_TOKEN"]);
  });

  async function refused(query: string): Promise<unknown[]> {
    const response = await app.send("GET", `/experiments/config${query}`);
    const { error } = (await response.json()) as { error: string };
    return [response.status, error];
  }
});
