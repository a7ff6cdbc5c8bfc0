import { join } from "node:path";
import { createProject, login, setUpAccount } from "../support/account";
import { launchChromium, visitorAgent } from "../support/chromium";
import { randomFrom } from "../support/random";
import { ask, removeFolder, startServer, temporaryFolder } from "../support/server";

/**
 * Makes the picture at the top of the README: the executable, visitors of a small shop for a minute and a half, and
 * Chromium that looks at them. Run it again when the page looks different.
 */
const file = join(import.meta.dir, "sightline.png");
const trafficMs = 90_000;
const size = { width: 1_120, height: 900 };

const pages = ["/", "/", "/", "/pricing", "/pricing", "/blog/a-quiet-week", "/docs", "/checkout"];
const countries = ["DE", "DE", "US", "US", "US", "FR", "JP", "BR", "NL"];

const dataDir = temporaryFolder();
const env = { TRUSTED_PROXIES: "127.0.0.1", COUNTRY_HEADER: "X-Country" };
const server = await startServer({ dataDir, env });
const browser = await launchChromium([]);
try {
  const { token } = await createProject(server.url, await setUpAccount(server.url), "my-shop");
  const page = await browser.newPage({ viewport: size });
  await page.goto(`${server.url}/login`);
  await page.fill("#email", login.email);
  await page.fill("#password", login.password);
  await page.click("#login-form button");
  await page.waitForURL("**/app");
  await page.goto(`${server.url}/app/live`);
  await sendVisits(token);
  await page.screenshot({ path: file });
} finally {
  await browser.close();
  await server.kill();
  removeFolder(dataDir);
}
const kilobytes = Math.round(Bun.file(file).size / 1_000);
process.stdout.write(`${file}  ${kilobytes} kB\n`);

async function sendVisits(token: string): Promise<void> {
  const random = randomFrom(7);
  const startedMs = performance.now();
  while (performance.now() - startedMs < trafficMs) {
    const visitor = random.below(60);
    const path = random.pick(pages);
    const event = path === "/checkout" && random.chance(0.5) ? "signup" : "page_view";
    const body = { token, event, user_id: `u${visitor}`, session_id: `s${visitor}` };
    const headers = {
      "User-Agent": visitorAgent,
      "X-Country": countries[visitor % countries.length] ?? "",
    };
    await ask(server.url, "POST", "/track", headers, { ...body, properties: { path } });
    // More in the middle than at both ends.
    const share = (performance.now() - startedMs) / trafficMs;
    await Bun.sleep(120 + random.below(300) + 500 * Math.abs(share - 0.6));
  }
}
