import { expect } from "bun:test";
import { login } from "../server/account";
import { ask } from "../server/server";
import type { DashboardWorld } from "../world/dashboard-world";
import { untilQuiet } from "./page-structure";

/** What the suites about the dashboard do with their world. */
export async function logIn({ pages }: DashboardWorld): Promise<void> {
  await pages.goto("/login?next=/app/p");
  await pages.logIn(login);
  await pages.page.waitForURL(({ pathname }) => pathname.startsWith("/app/p"));
}

/** All answers are there. */
export const settled = ({ pages }: DashboardWorld): Promise<void> => untilQuiet(pages.page);

/** A page of the shop, by what follows its name in the address. */
export async function openPage(world: DashboardWorld, path: string): Promise<void> {
  await world.pages.goto(`/app/p/${world.shop}/${path}`);
  await settled(world);
}

export const tileOf = ({ pages }: DashboardWorld, name: string): Promise<string> =>
  pages.page.locator(".tile", { hasText: name }).locator(".tile-value").innerText();

/** What the API says, to an agent's key. */
export async function askApi<T>(
  world: DashboardWorld,
  path: string,
  body?: object,
  status = 200,
): Promise<T> {
  const method = body === undefined ? "GET" : "POST";
  const reply = await ask(world.pages.server.url, method, path, { "X-API-Key": world.key }, body);
  expect([path, reply.status]).toEqual([path, status]);
  return JSON.parse(reply.body);
}

export const dateDaysAgo = ({ nowMs }: DashboardWorld, daysAgo: number): string =>
  new Date(nowMs - daysAgo * 86_400_000).toISOString().slice(0, 10);
