import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../suite/eventually";
import { Connection } from "./connection";

const places = ["/usr/sbin/nginx", "/usr/local/sbin/nginx"];

export function nginxProgram(): string {
  const program = places.find((path) => existsSync(path));
  if (program === undefined) throw new Error("This needs nginx: .ci/run installs nginx-light.");
  return program;
}

/** Writes a configuration with these blocks of `http`, which keeps all that nginx writes in the folder. */
export function nginxFile(folder: string, blocks: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n");
  const file = join(folder, "nginx.conf");
  const http = `access_log off;\n${temporary}\n${blocks}`;
  writeFileSync(file, `pid ${folder}/pid;\nevents {}\nhttp {\n${http}\n}\n`);
  return file;
}

/** Starts nginx, and waits until it listens on the port that its blocks name. Returns what stops it. */
export async function startNginx(
  folder: string,
  port: number,
  blocks: string,
): Promise<() => Promise<void>> {
  const file = nginxFile(folder, blocks);
  const own = ["-e", "stderr", "-p", folder, "-c", file, "-g", "daemon off; master_process off;"];
  const child = Bun.spawn([nginxProgram(), ...own], { stdout: "ignore", stderr: "inherit" });
  await eventually(async () => (await Connection.open(`http://127.0.0.1:${port}`)).close());
  return async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
}
