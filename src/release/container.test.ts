import { expect, test } from "bun:test";
import { textOf } from "../../test/support/suite/sources";
import { containerFiles } from "./container";

test("the container files of an archive copy the executable that lies beside them, and no other file", () => {
  for (const target of ["linux-x64", "linux-x64-baseline", "linux-arm64"]) {
    const files = containerFiles(target, textOf);
    expect([...files.keys()]).toEqual(["Dockerfile", ".dockerignore", "compose.yaml"]);
    const dockerfile = files.get("Dockerfile") ?? "";
    const [, argument] = /^ARG EXECUTABLE=(.*)$/m.exec(dockerfile) ?? [];
    const copied = [...dockerfile.matchAll(/^COPY --chmod=755 (\S+) (\S+)$/gm)].map(
      ([, from = "", to]) => [from.replace(/^\$\{EXECUTABLE\}$/, argument ?? ""), to],
    );
    expect(copied).toEqual([["sightline", "/usr/local/bin/sightline"]]);
    expect(files.get(".dockerignore")).toBe("*\n!sightline\n");
    // Everything below the first lines is as in the sources.
    const body = (text: string): string => text.slice(text.indexOf("\nFROM "));
    expect(body(dockerfile).replace("COPY --chmod=755 ", "COPY --chmod=755 dist/")).toBe(
      body(textOf("Dockerfile")),
    );
    const compose = Bun.YAML.parse(files.get("compose.yaml") ?? "");
    expect(compose).toEqual(Bun.YAML.parse(textOf("compose.yaml")));
    expect(compose).toMatchObject({ services: { sightline: { build: "." } } });
    for (const text of files.values()) expect(text).not.toMatch(/\bnpm\b|dist\//);
  }
});

test("a target that the image cannot run has no container files", () => {
  for (const target of ["linux-x64-musl", "darwin-arm64", "windows-x64"]) {
    expect(containerFiles(target, textOf).size).toBe(0);
  }
});
