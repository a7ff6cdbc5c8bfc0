import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestClickHouse {
  readonly url: string;
  readonly folder: string;
  /** SIGKILL; resolves when the process is gone. What is stored stays for `again`. */
  kill(): Promise<void>;
  /** Starts it again on its folder, at its address. */
  again(): Promise<TestClickHouse>;
  close(): Promise<void>;
}

/** The threads of a statement: one, unless this variable says more. */
export const threadsVariable = "TEST_CLICKHOUSE_THREADS";

/** A ClickHouse in a process and a folder of its own. `within` is what its command begins with. */
export async function startClickHouse(
  folder = mkdtempSync(join(tmpdir(), "sightline-clickhouse-")),
  port = 0,
  within: readonly string[] = [],
): Promise<TestClickHouse> {
  const child = Bun.spawn(
    [...within, process.execPath, join(import.meta.dir, "server.ts"), folder, String(port)],
    { stdout: "pipe", stderr: "inherit" },
  );
  const url = await firstLine(child.stdout);
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return {
    url,
    folder,
    kill,
    again: () => startClickHouse(folder, Number(new URL(url).port), within),
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error(`The ClickHouse of the tests ended at its start: ${text}`);
}
