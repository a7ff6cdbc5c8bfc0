import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { nginxFile, nginxProgram } from "../support/server/nginx";
import { freePort, removeFolder, temporaryFolder } from "../support/server/server";
import { textOf } from "../support/suite/sources";

/** The files that the pages on operation ask their reader to write, and the settings that these name. */
const pageOf = (name: string): string => textOf(`src/docs/operate/${name}.md`);
const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

function blockOf(page: string, language: string): string {
  const found = [
    ...pageOf(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm")),
  ];
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? "";
}
const variables = new Set(
  [...pageOf("configuration").matchAll(/^\| (`[A-Z][^|]*) \|/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  ),
);
const run = (...command: string[]) => {
  const { exitCode, stderr, stdout } = Bun.spawnSync(command, { cwd: folder });
  return { exitCode, output: `${stdout}${stderr}` };
};

test("nginx takes the file for it as it is, but for its ports and certificates", () => {
  const subject = ["-subj", "/CN=stats.example.com", "-keyout", "privkey.pem", "-out", "full.pem"];
  const made = run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject);
  expect([made.exitCode, made.output]).toEqual([0, expect.any(String)]);
  const block = blockOf("proxy", "nginx")
    .replace("listen 443 ssl", `listen 127.0.0.1:${freePort()} ssl`)
    .replace(/\/etc\/letsencrypt\/\S+fullchain.pem/, join(folder, "full.pem"))
    .replace(/\/etc\/letsencrypt\/\S+privkey.pem/, join(folder, "privkey.pem"));
  const file = nginxFile(folder, block);
  const { exitCode, output } = run(
    ...[nginxProgram(), "-t", "-e", "stderr", "-p", folder, "-c", file],
  );
  expect(output).toContain("test is successful");
  expect(output).not.toContain("[warn]");
  expect(exitCode).toBe(0);
});

describe("the container", () => {
  const { services, volumes } = Bun.YAML.parse(blockOf("install", "yaml")) as {
    readonly services: Record<string, Record<string, unknown>>;
    readonly volumes: Record<string, unknown>;
  };
  const { sightline } = services;

  test("of compose keeps its data in the volume that the Dockerfile names", () => {
    expect(Object.keys(services)).toEqual(["sightline"]);
    expect(sightline?.volumes).toEqual(["sightline:/data"]);
    expect(Object.keys(volumes)).toEqual(["sightline"]);
    expect(textOf("Dockerfile")).toContain("VOLUME /data");
    expect(sightline?.ports).toEqual(["127.0.0.1:3000:3000"]);
    expect(textOf("Dockerfile")).toContain("EXPOSE 3000");
  });

  test("is given variables that there are", () => {
    const ofRun = [...pageOf("install").matchAll(/--env (\w+)=/g)].map(([, name = ""]) => name);
    const given = [...Object.keys(sightline?.environment ?? {}), ...ofRun];
    expect(given.length).toBeGreaterThan(2);
    expect(given.filter((name) => !variables.has(name))).toEqual([]);
  });
});

test("the service is given variables that there are, and a folder that it may write", () => {
  const unit = blockOf("install", "ini");
  const lines = [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, line = ""]) => line);
  const given = Object.fromEntries(
    lines.flatMap((line) => line.split(" ").map((one) => one.split("="))),
  );
  expect(Object.keys(given).filter((name) => !variables.has(name))).toEqual([]);
  expect(given.DATA_DIR).toBe(`/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1]}`);
  expect(unit).toMatch(/^ExecStart=\/usr\/local\/bin\/sightline serve$/m);
});
