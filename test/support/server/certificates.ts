import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Makes a certificate of this machine that signs itself, named in its subject, with its key. */
export function makePair(folder: string, name: string, days: number) {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const { success, stderr } = Bun.spawnSync([
    ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
    ...["-nodes", "-days", String(days), "-subj", `/CN=${name}`, "-keyout", key, "-out", cert],
    ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1"],
  ]);
  if (!success) throw new Error(`openssl made no certificate: ${stderr.toString()}`);
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}
