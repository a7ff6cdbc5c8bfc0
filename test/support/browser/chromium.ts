import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/**
 * The engine of the same version without the windows, menus and services around it, which no page notices: a visit
 * takes a third of the processor time.
 */
const shell = "/usr/lib/chromium/chromium-headless-shell";

/** An agent as an ordinary visitor has it; the one Chromium sends by itself here counts as automated. */
export const visitorAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

/**
 * The installed Chromium, as its shell where that is installed. `hosts` are names that lead to this machine: a page
 * under one of them is neither localhost nor a secure context, like most sites under development are not, and like no
 * unit test is.
 */
export const launchChromium = (hosts: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: existsSync(shell) ? shell : installed(),
    args: argumentsFor(hosts),
  });

/** Opens a page in a whole browser that nobody controls, and which therefore has a back-forward cache. */
export function openAlone(hosts: readonly string[], url: string, profile: string): Bun.Subprocess {
  const own = [`--user-data-dir=${profile}`, "--remote-debugging-port=0", url];
  return Bun.spawn([installed(), ...argumentsFor(hosts), ...own], {
    stdout: "ignore",
    stderr: "ignore",
  });
}

function installed(): string {
  const path = places.find((one) => existsSync(one));
  if (path !== undefined) return path;
  throw new Error("These tests need Chromium: .ci/run installs it, or `apt-get install chromium`.");
}

const argumentsFor = (hosts: readonly string[]): string[] => [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join(", ")}`,
  // What a page sends while it is left does not have the agent that was given to its context.
  `--user-agent=${visitorAgent}`,
];
