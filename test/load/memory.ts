import { readFileSync, writeFileSync } from "node:fs";
import { launch } from "../support/server/server";
import { type Figures, median, oneDecimal } from "./figures";
import { serve } from "./world";

const megabyte = 1024 * 1024;
const idleSeconds = 60;

/** Reads the memory of the server alone from the system: resident, and the most it has been. */
export function memoryOf(pid: number): { readonly nowMb: number; readonly mostMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
  return {
    nowMb: (kilobytes("VmRSS") * 1024) / megabyte,
    mostMb: (kilobytes("VmHWM") * 1024) / megabyte,
  };
}

/** Resets `mostMb`, which is the most since this call then: Linux does so for a 5 in this file. */
export const forgetMostMemory = (pid: number): void =>
  writeFileSync(`/proc/${pid}/clear_refs`, "5");

/** The memory of a server that nobody asks. */
export async function measureIdle(dataDir: string, what: string, figures: Figures): Promise<void> {
  const server = await serve(dataDir);
  await Bun.sleep(idleSeconds * 1000);
  const { nowMb } = memoryOf(server.process.pid);
  await server.stop();
  figures.add(
    "Memory",
    `idle, ${what}, 60 s after start, MB`,
    oneDecimal(nowMb),
    "90",
    nowMb <= 90,
  );
}

/** Measures the time from the start of the process to its first answer, as a supervisor would see it. */
export async function measureStart(dataDir: string, what: string, figures: Figures): Promise<void> {
  const took: number[] = [];
  for (let index = 0; index < 9; index++) {
    const started = performance.now();
    const server = launch({ dataDir });
    while (!(await isReady(server.url))) await Bun.sleep(1);
    took.push(performance.now() - started);
    await server.stop();
  }
  const middle = median(took);
  figures.add(
    "Start",
    `to the first answer, ${what}, median of 9, ms`,
    oneDecimal(middle),
    "100",
    middle <= 100,
  );
}

export async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`, { keepalive: false })).ok;
  } catch {
    return false;
  }
}
