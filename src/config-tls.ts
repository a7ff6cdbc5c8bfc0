import { createPrivateKey, X509Certificate } from "node:crypto";
import { ConfigError } from "./config-error";
import { contentOf } from "./config-secrets";

/** The files of the certificate, with those that sign it, and of its key, both as PEM. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsPair {
  readonly cert: string;
  readonly key: string;
  readonly endsAtMs: number;
}

/** Returns null where the server speaks plain HTTP. Throws ConfigError when one of the files is not named. */
export function tlsFilesOf(text: (name: string) => string | null): TlsFiles | null {
  const certFile = text("TLS_CERT_FILE");
  const keyFile = text("TLS_KEY_FILE");
  if (certFile === null && keyFile === null) return null;
  if (certFile !== null && keyFile !== null) return { certFile, keyFile };
  const [given, lacking] =
    certFile === null ? ["TLS_KEY_FILE", "TLS_CERT_FILE"] : ["TLS_CERT_FILE", "TLS_KEY_FILE"];
  throw new ConfigError(`${given} is set, but ${lacking} is not. Set both, or none of them.`);
}

/** Reads the certificate and its key. Throws ConfigError when they cannot be read or do not belong together. */
export function readTlsPair({ certFile, keyFile }: TlsFiles): TlsPair {
  const cert = readFile("TLS_CERT_FILE", certFile);
  const key = readFile("TLS_KEY_FILE", keyFile);
  const certificate = parsed(
    "TLS_CERT_FILE",
    certFile,
    "certificate",
    () => new X509Certificate(cert),
  );
  const privateKey = parsed("TLS_KEY_FILE", keyFile, "private key", () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ConfigError(
      `The key in TLS_KEY_FILE (${keyFile}) does not belong to the certificate in TLS_CERT_FILE (${certFile}).`,
    );
  }
  return { cert, key, endsAtMs: Date.parse(certificate.validTo) };
}

function readFile(name: string, file: string): string {
  const content = contentOf(file);
  if (content !== null) return content;
  throw new ConfigError(
    `${name}: the server cannot read "${file}". Check the path and its permissions.`,
  );
}

function parsed<T>(name: string, file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new ConfigError(`${name}: "${file}" has no valid ${what} in PEM form.`);
  }
}
