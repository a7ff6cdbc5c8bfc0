import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The names, sums and signature of a folder with a release. */
export const sumsFile = "SHA256SUMS";
export const signatureFile = `${sumsFile}.sig`;

/** The text of SHA256SUMS, as sha256sum reads it, for all other files of a folder. */
export function sumsOf(folder: string): string {
  const names = readdirSync(folder).filter((name) => name !== sumsFile && name !== signatureFile);
  return names
    .sort()
    .map((name) => `${sumOf(join(folder, name))}  ${name}\n`)
    .join("");
}

/** An Ed25519 signature of the sums by a private key in PEM form. */
export const signatureOf = (sums: string, key: string): Uint8Array =>
  sign(null, Buffer.from(sums), createPrivateKey(key));

/** The public key that belongs to a private one, in PEM form. */
export const publicKeyOf = (key: string): string =>
  String(createPublicKey(key).export({ type: "spki", format: "pem" }));

/** Returns what is wrong with a folder of a release, as sentences; none when every file is as it was signed. */
export function flawsOfRelease(folder: string, publicKey: string): readonly string[] {
  const lacking = [sumsFile, signatureFile].filter((name) => !existsSync(join(folder, name)));
  if (lacking.length > 0) return lacking.map((name) => `${name} is missing.`);
  const sums = readFileSync(join(folder, sumsFile));
  const signature = readFileSync(join(folder, signatureFile));
  // Nothing of a list that nobody signed is believed.
  if (!isSigned(sums, signature, publicKey)) {
    return [`${signatureFile} is not a signature of ${sumsFile} by the key of the releases.`];
  }
  const lines = [...sums.toString().matchAll(/^([0-9a-f]{64}) {2}([\w.+-]+)$/gm)];
  if (lines.length === 0) return [`${sumsFile} lists no file.`];
  return lines.flatMap(([, sum = "", name = ""]) => {
    const file = join(folder, name);
    if (!existsSync(file)) return [`${name} is missing.`];
    return sumOf(file) === sum ? [] : [`${name} was changed.`];
  });
}

function isSigned(text: Uint8Array, signature: Uint8Array, publicKey: string): boolean {
  const key = createPublicKey(publicKey);
  return key.asymmetricKeyType === "ed25519" && verify(null, text, key, signature);
}

const sumOf = (file: string): string =>
  createHash("sha256").update(readFileSync(file)).digest("hex");
