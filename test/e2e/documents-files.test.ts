import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { nginxFile, nginxProgram } from "../support/server/nginx";
import { freePort, removeFolder, temporaryFolder } from "../support/server/server";
import { pathFromRoot, textOf } from "../support/suite/sources";

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
  const dockerfile = textOf("Dockerfile");
  const { services, volumes } = Bun.YAML.parse(textOf("compose.yaml")) as {
    readonly services: Record<string, Record<string, unknown>>;
    readonly volumes: Record<string, unknown>;
  };
  const { sightline } = services;

  test("of compose keeps its data in the volume that the Dockerfile names, and waits for its health", () => {
    expect(Object.keys(services)).toEqual(["sightline", "caddy"]);
    expect(sightline).toMatchObject({
      volumes: ["sightline:/data"],
      read_only: true,
      tmpfs: ["/tmp"],
    });
    expect(sightline?.ports).toBeUndefined();
    expect(Object.keys(volumes)).toEqual(["sightline", "caddy"]);
    expect(dockerfile).toContain("VOLUME /data");
    expect(dockerfile).toContain("EXPOSE 3000");
    expect(dockerfile).toMatch(/^HEALTHCHECK .* CMD \["sightline", "health"\]$/m);
    expect(services.caddy?.depends_on).toEqual({ sightline: { condition: "service_healthy" } });
  });

  test("runs as a number that is not root, and carries the labels of OCI", () => {
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    for (const label of ["title", "description", "licenses"]) {
      expect(dockerfile).toContain(`org.opencontainers.image.${label}=`);
    }
  });

  test("is built from the executables alone", () => {
    const lines = textOf(".dockerignore")
      .split("\n")
      .filter((line) => /^[^#]/.test(line));
    expect(lines).toEqual(["*", "!dist/sightline", "!dist/sightline-linux-*"]);
    expect(dockerfile.match(/^COPY .*$/gm)).toEqual([
      expect.stringMatching(/ dist\/\$\{EXECUTABLE\} \/usr\/local\/bin\/sightline$/),
    ]);
  });

  test("is given variables that there are", () => {
    const ofRun = [...pageOf("install").matchAll(/--env (\w+)=/g)].map(([, name = ""]) => name);
    const given = [...Object.keys(sightline?.environment ?? {}), ...ofRun];
    expect(given.length).toBeGreaterThan(2);
    expect(given.filter((name) => !variables.has(name))).toEqual([]);
  });
});

test("the service is given variables that there are, and a folder that it may write", () => {
  const unit = textOf("src/release/sightline.service");
  const lines = [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, line = ""]) => line);
  const given = Object.fromEntries(
    lines.flatMap((line) => line.split(" ").map((one) => one.split("="))),
  );
  expect(Object.keys(given).filter((name) => !variables.has(name))).toEqual([]);
  expect(given.DATA_DIR).toBe(`/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1]}`);
  expect(unit).toMatch(/^ExecStart=\/usr\/local\/bin\/sightline serve$/m);
});

test("the service has an exposure of 3.0 at most, as systemd counts it", () => {
  const file = "src/release/sightline.service";
  if (Bun.which("systemd-analyze") === null) {
    // Without the tool: the lines that weigh most.
    for (const line of ["CapabilityBoundingSet=", "ProtectSystem=strict", "SystemCallFilter="]) {
      expect(textOf(file)).toContain(`\n${line}`);
    }
    return;
  }
  const analysis = ["systemd-analyze", "security", "--offline=true", pathFromRoot(file)];
  const exposure = /exposure level for \S+: ([\d.]+)/.exec(run(...analysis).output)?.[1];
  expect(Number(exposure)).toBeWithin(0, 3.01);
});
