import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that are secrets. Each can also be the content of the file that `<NAME>_FILE` names. */
export const secretVariables = [
  ...(["IDENTITY_SECRET", "ADMIN_PASSWORD", "SETUP_TOKEN", "METRICS_TOKEN"] as const),
  ...(["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "CLICKHOUSE_PASSWORD"] as const),
  "SIGHTLINE_API_KEY",
  ...(["SMTP_PASSWORD", "OIDC_CLIENT_SECRET"] as const),
  ...(["BACKUP_KEY", "BACKUP_S3_SECRET_ACCESS_KEY"] as const),
] as const;

/** Returns the variables with the secrets that lie in files. Throws ConfigError, which never repeats a secret. */
export function withSecretFiles(variables: Environment): Environment {
  const fromFiles = secretVariables.flatMap((name) => {
    const file = variables[`${name}_FILE`]?.trim();
    if (!file) return [];
    if (variables[name]) {
      throw new ConfigError(`${name} and ${name}_FILE are both set. Unset one of them.`);
    }
    return [[name, secretIn(file, `${name}_FILE`)]];
  });
  return { ...variables, ...Object.fromEntries(fromFiles) };
}

function secretIn(file: string, name: string): string {
  const content = contentOf(file);
  if (content === null) {
    throw new ConfigError(
      `${name}: the server cannot read "${file}". Check the path and its permissions.`,
    );
  }
  // Editors and `echo` end a file with a newline, which is no part of the secret.
  const secret = content.replace(/\r?\n$/, "");
  if (secret.trim() !== "") return secret;
  throw new ConfigError(`${name}: the file "${file}" is empty. Write the secret into it.`);
}

export function contentOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

const identitySecretCharsMin = 32;

/** Throws ConfigError for a secret that is too short to protect anything. */
export function identitySecretOf(value: string | null): string | null {
  if (value === null || value.length >= identitySecretCharsMin) return value;
  throw new ConfigError(
    `IDENTITY_SECRET has ${value.length} characters, but needs at least ${identitySecretCharsMin}. ` +
      "Generate one with `openssl rand -hex 32`, or unset it: the server then makes and stores one.",
  );
}
