import { expect, test } from "bun:test";
import { hasCors, rateHeaders, requestIdOf } from "./headers";

test("a client's request id is used only if it is fit for a log", () => {
  const idFor = (id: string) => requestIdOf(new Headers({ "x-request-id": id }));
  for (const id of ["a", "A-z_0-9", "x".repeat(64)]) expect(idFor(id)).toBe(id);
  for (const id of ["", "x".repeat(65), "a b", "a.b", "é", '"', "a\\n"]) {
    expect(idFor(id)).toMatch(/^[a-f0-9]{12}-[a-z0-9]+$/);
  }
});

test("request ids of our own are unique", () => {
  const ids = Array.from({ length: 1000 }, () => requestIdOf(new Headers()));
  expect(new Set(ids).size).toBe(1000);
});

test("other sites may call every path but those where the browser session counts", () => {
  for (const path of ["/track", "/stats", "/authors", "/billings", "/openapi.json", "/account"]) {
    expect(hasCors(path)).toBe(true);
  }
  for (const path of ["/auth/login", "/auth", "/admin/accounts", "/billing", "/billing/checkout"]) {
    expect(hasCors(path)).toBe(false);
  }
});

test("where there is no limit there are no limit headers", () => {
  expect(rateHeaders({ limit: 0, remaining: 0, resetSeconds: 1 })).toEqual({});
  expect(rateHeaders({ limit: 10, remaining: 3, resetSeconds: 60 })).toEqual({
    "x-ratelimit-limit": "10",
    "x-ratelimit-remaining": "3",
    "x-ratelimit-reset": "60",
  });
});
