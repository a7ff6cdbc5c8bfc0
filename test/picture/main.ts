import { join } from "node:path";
import { untilQuiet } from "../support/browser/page-structure";
import { login } from "../support/server/account";
import { openDashboardWorld } from "../support/world/dashboard-world";

/**
 * Makes the pictures of the README: the executable with a small shop of 58 days, and Chromium that looks at it. Run it
 * again when the pages look different.
 */
const shots = [
  { name: "sightline", path: "overview", colorScheme: "light" },
  { name: "funnel", path: "funnels", colorScheme: "light" },
  { name: "night", path: "overview?period=90d&metric=sessions", colorScheme: "dark" },
] as const;

const { pages, shop } = await openDashboardWorld({ hasHostileEvent: false });
try {
  const { page } = pages;
  await page.setViewportSize({ width: 1_280, height: 860 });
  await pages.goto("/login?next=/app/p");
  await pages.logIn(login);
  await page.waitForURL(({ pathname }) => pathname.startsWith("/app/p"));
  for (const { name, path, colorScheme } of shots) {
    await page.emulateMedia({ colorScheme });
    await pages.goto(`/app/p/${shop}/${path}`);
    await Bun.sleep(500);
    await untilQuiet(page);
    const file = join(import.meta.dir, `${name}.png`);
    await page.screenshot({ path: file });
    process.stdout.write(`${file}  ${Math.round(Bun.file(file).size / 1_000)} kB\n`);
  }
} finally {
  await pages.close();
}
