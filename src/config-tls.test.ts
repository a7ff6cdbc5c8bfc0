import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePair } from "../test/support/server/certificates";
import { Certificate } from "./certificate";
import { readConfig } from "./config";
import { readTlsPair, type TlsPair } from "./config-tls";
import { clock, dayMs } from "./lib/clock";
import { replaceLogWriter } from "./lib/log";

const folder = mkdtempSync(join(tmpdir(), "sightline-tls-"));
const first = makePair(folder, "first", 30);
const second = makePair(folder, "second", 40);
const restores: (() => void)[] = [];
const logged: string[] = [];
beforeAll(() => {
  restores.push(replaceLogWriter((line) => logged.push(line)));
});
afterAll(() => {
  for (const restore of restores) restore();
  rmSync(folder, { recursive: true });
});

const files = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
function place(cert: string, key: string): void {
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
}

describe("the files of a certificate", () => {
  test("are named together, and make the addresses of the server https", () => {
    const named = { TLS_CERT_FILE: files.certFile, TLS_KEY_FILE: files.keyFile };
    expect(readConfig(named)).toMatchObject({ tls: files, publicUrl: "https://localhost:3000" });
    expect(readConfig({}).tls).toBeNull();
    expect(() => readConfig({ TLS_CERT_FILE: "a" })).toThrow("but TLS_KEY_FILE is not.");
    expect(() => readConfig({ TLS_KEY_FILE: "a" })).toThrow("but TLS_CERT_FILE is not.");
  });

  test("are refused in a sentence when they are missing, damaged or of two pairs", () => {
    place(first.cert, first.key);
    const days = (readTlsPair(files).endsAtMs - clock.nowMs()) / dayMs;
    expect(days).toBeWithin(29, 31);
    expect(() => readTlsPair({ ...files, keyFile: join(folder, "none") })).toThrow("cannot read");
    place("no certificate", first.key);
    expect(() => readTlsPair(files)).toThrow("has no valid certificate in PEM form");
    place(first.cert, first.key.slice(0, 100));
    expect(() => readTlsPair(files)).toThrow("has no valid private key in PEM form");
    place(first.cert, second.key);
    expect(() => readTlsPair(files)).toThrow("does not belong to the certificate");
  });
});

describe("a change of the files", () => {
  test("is used once it is whole; before, it is logged once and changes nothing", () => {
    place(first.cert, first.key);
    const used: TlsPair[] = [];
    const { certificate, close } = Certificate.watch(files, readTlsPair(files), (pair) => {
      used.push(pair);
    });
    restores.push(close);
    certificate.look();
    place(second.cert, first.key);
    certificate.look();
    certificate.look();
    expect(used).toEqual([]);
    expect(logged.filter((line) => line.includes("is not used"))).toHaveLength(1);
    expect(logged.join("")).not.toContain("PRIVATE KEY");
    place(second.cert, second.key);
    process.emit("SIGHUP");
    expect(used.map(({ cert }) => cert)).toEqual([second.cert]);
    expect(certificate.endsAtMs).toBe(readTlsPair(files).endsAtMs);
  });

  test("to a certificate that has ended is refused", () => {
    place(first.cert, first.key);
    const used: TlsPair[] = [];
    const { certificate, close } = Certificate.watch(files, readTlsPair(files), (pair) => {
      used.push(pair);
    });
    restores.push(close);
    place(second.cert, second.key);
    const later = clock.nowMs() + 50 * dayMs;
    const restoreClock = clock.replace(() => later);
    certificate.look();
    restoreClock();
    expect(used).toEqual([]);
    expect(logged.at(-1)).toContain("has ended");
  });
});
