import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { requireQuota } from "../../src/features/website-scans/admission";
import type { Network } from "../../src/services/page-fetch/network";
import {
  app,
  call,
  cliScan,
  closeApp,
  network,
  openApp,
  person,
  read,
  refusal,
  scan,
  site,
  upgrade,
} from "../scans/scan-calls";
import { savedSites } from "../scans/sites";
import { testApp } from "../support/app/app";

/** The rules of website scans that are no matter of one part alone. */
beforeEach(openApp);
afterEach(closeApp);
const whole = "site-full.example.com";

describe("who may do what", () => {
  test("an account takes its own preview further without a body, and what is full costs nothing again", async () => {
    const by = await person();
    const { body } = await scan({ url: whole }, by);
    expect(body).toMatchObject({ mode: "authenticated_preview" });
    const full = await call("POST", `/website-scans/${body.analysis_id}/upgrade`, undefined, by);
    expect([full.status, full.body.mode]).toEqual([200, "full"]);
    expect(full.body.preview).toEqual(body.preview);
    const asked = network.asked.length;
    for (let times = 0; times < 4; times++) {
      const again = await upgrade(body.analysis_id, {}, by);
      expect([again.status, again.body]).toEqual([200, full.body]);
    }
    expect(network.asked.length).toBe(asked);
    // Two of the month's three are left.
    const left = [
      await scan({ url: whole, full: true }, by),
      await scan({ url: whole, full: true }, by),
    ];
    expect(left.map(({ status }) => status)).toEqual([200, 200]);
    expect(refusal(await scan({ url: whole, full: true }, by))).toEqual([
      429,
      "SCAN_QUOTA_REACHED",
    ]);
  });

  test("an upgrade records the project that it names, if that covers the host", async () => {
    const by = { key: app.key };
    const { body } = await scan({ url: whole }, by);
    const made = await call("POST", "/projects", { name: "quill", domain: whole }, by);
    await call("POST", "/projects", { name: "other", domain: "other.test" }, by);
    const id = body.analysis_id;
    expect(refusal(await upgrade(id, { project: "other" }, by))).toEqual([403, "FORBIDDEN"]);
    expect(refusal(await upgrade(id, { project: "none" }, by))).toEqual([404, "NOT_FOUND"]);
    const full = await upgrade(id, { project: String(made.body.id) }, by);
    expect(full.body).toMatchObject({ mode: "full", project_id: made.body.id });
    expect((await read(id, "", by)).body.project_id).toBe(made.body.id as string);
  });

  test("the failed preview of somebody without an account is found by nobody", async () => {
    const failed = await scan({ url: "unknown.example.net" });
    const id = failed.body.analysis_id;
    expect(refusal(failed)).toEqual([502, "SCAN_FAILED"]);
    expect(failed.body).not.toHaveProperty("resume_token");
    expect(refusal(await read(id))).toEqual([404, "NOT_FOUND"]);
    expect(refusal(await upgrade(id, {}, { key: app.key }))).toEqual([404, "NOT_FOUND"]);
  });

  test("where scans are switched off nothing is scanned by any call", async () => {
    const off = await testApp({ WEBSITE_SCANS: "false" }, savedSites());
    for (const path of ["/website-scans", "/cli/website-scans", "/website-scans/scan_a/upgrade"]) {
      const body = path.endsWith("scans") ? { url: site } : {};
      const answer = await off.send("POST", path, { key: off.key, body });
      expect([path, answer.status, await answer.json()]).toMatchObject([
        path,
        403,
        { error: "FORBIDDEN" },
      ]);
    }
    await off.close();
  });
});

describe("safety", () => {
  test("a host that the operator allows is held to all other rules", async () => {
    const asked: string[] = [];
    const inside: Network = {
      resolve: async () => ["10.0.0.5"],
      request: async (url, address) => {
        asked.push(`${url.href} at ${address}`);
        const location =
          url.pathname === "/away" ? "http://intranet.example/" : "http://wiki.example:8080/";
        return new Response(null, { status: 302, headers: { location } });
      },
    };
    const open = await testApp({ SCAN_ALLOW_HOSTS: "wiki.example" }, inside);
    const codeOf = async (url: string) => {
      const answer = await open.send("POST", "/website-scans", { key: open.key, body: { url } });
      return ((await answer.json()) as { error: string }).error;
    };
    expect(await codeOf("http://wiki.example:8080/")).toBe("INVALID_URL");
    expect(await codeOf("http://me@wiki.example/")).toBe("INVALID_URL");
    expect(await codeOf("http://10.0.0.5/")).toBe("INVALID_URL");
    expect(await codeOf("http://sub.wiki.example/")).toBe("UNSAFE_URL");
    expect(asked).toEqual([]);
    expect(await codeOf("http://wiki.example/port")).toBe("UNSAFE_URL");
    expect(await codeOf("http://wiki.example/away")).toBe("UNSAFE_URL");
    expect(asked).toEqual([
      "http://wiki.example/port at 10.0.0.5",
      "http://wiki.example/away at 10.0.0.5",
    ]);
    await open.close();
  });

  test("credentials, a query and a fragment of the address reach neither the site nor the answer", async () => {
    const hosts = new Set<string>();
    const { request } = network;
    network.request = async (url, address, signal) => {
      hosts.add(url.href);
      return request(url, address, signal);
    };
    const { body } = await scan(
      { url: `HTTPS://SAAS-START.example.com/?token=abc#x` },
      { key: app.key },
    );
    expect(body.normalized_url).toBe("https://saas-start.example.com/");
    expect(JSON.stringify(body)).not.toContain("=abc");
    expect([...hosts]).toEqual(["https://saas-start.example.com/"]);
    expect(refusal(await scan({ url: `https://me:secret@${site}/` }))).toEqual([
      400,
      "INVALID_URL",
    ]);
  });
});

test("a month has 3 full scans on the free plan and 50 on Pro", () => {
  const isRefused = (tier: "free" | "pro", used: number): boolean => {
    try {
      requireQuota(tier, used);
      return false;
    } catch {
      return true;
    }
  };
  expect([isRefused("free", 2), isRefused("free", 3)]).toEqual([false, true]);
  expect([isRefused("pro", 49), isRefused("pro", 50)]).toEqual([false, true]);
});

test("names of events are snake_case, and what a plan proposes can be sent as it is", async () => {
  const by = { key: app.key };
  await call("POST", "/projects", { name: "quill", domain: whole }, by);
  const { body } = await cliScan({ url: whole, full: true, project: "quill" }, by);
  const plan = body.result as {
    readonly minimum_viable_instrumentation: readonly { readonly event: string }[];
    readonly goal_driven_funnels: readonly {
      readonly steps: readonly string[];
      readonly bottleneck_detection: string;
    }[];
    readonly suggested_ab_tests: readonly {
      name: string;
      variants: string[];
      success_event: string;
    }[];
  };
  for (const { event } of plan.minimum_viable_instrumentation)
    expect(event).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(plan.goal_driven_funnels.length).toBeGreaterThan(0);
  for (const { steps, bottleneck_detection } of plan.goal_driven_funnels) {
    const [, breakdown] = /^POST \/funnel with breakdown "(\w+)"/.exec(bottleneck_detection) ?? [];
    expect(breakdown).toBeString();
    expect((await call("POST", "/funnel", { project: "quill", steps, breakdown }, by)).status).toBe(
      200,
    );
  }
  expect(plan.suggested_ab_tests.length).toBeGreaterThan(0);
  for (const { name, variants, success_event: goal_event } of plan.suggested_ab_tests) {
    const experiment = { project: "quill", name, variants, goal_event };
    expect((await call("POST", "/experiments", experiment, by)).status).toBe(201);
  }
});
