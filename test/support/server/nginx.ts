import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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

/** Starts nginx, which ends with this process at the latest. Returns what stops it. */
export function startNginx(folder: string, blocks: string): () => Promise<void> {
  const file = nginxFile(folder, blocks);
  const own = ["-e", "stderr", "-p", folder, "-c", file, "-g", "daemon off; master_process off;"];
  const child = Bun.spawn([nginxProgram(), ...own], { stdout: "ignore", stderr: "inherit" });
  return async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
}
