import { and, eq } from "drizzle-orm";
import { ApiError } from "../../domain/errors";
import { clock } from "../../lib/clock";
import { newToken, sha256Hex } from "../../lib/ids";
import type { Control } from "./control";
import { isDuplicate } from "./database";
import { type ApiKeyRow, apiKey, type MemberRow } from "./member-tables";

/** A person in an account: the holder of a key. */
export type MemberId = Pick<MemberRow, "accountId" | "personId">;

const apiKeyPrefixChars = 12;

const isOf = ({ accountId, personId }: MemberId) =>
  and(eq(apiKey.accountId, accountId), eq(apiKey.personId, personId));

export const keyOf = ({ db }: Control, holder: MemberId): ApiKeyRow | undefined =>
  db.select().from(apiKey).where(isOf(holder)).get();

/** Makes a person's key of an account. Throws API_KEY_EXISTS when there is one. Only the hash of the key is kept. */
export function addKey(control: Control, holder: MemberId): string {
  try {
    return writeKey(control, holder, (row) => {
      control.db.insert(apiKey).values(row).run();
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new ApiError(
      "API_KEY_EXISTS",
      "This account already has an API key. Replace it with POST /account/revoke-key.",
    );
  }
}

/** The old key, if there is one, is dead when this returns. */
export const replaceKey = (control: Control, holder: MemberId): string =>
  writeKey(control, holder, (row) => {
    control.db.delete(apiKey).where(isOf(holder)).run();
    control.db.insert(apiKey).values(row).run();
  });

/** False when there is none. */
export const dropKey = (control: Control, holder: MemberId): boolean =>
  control.write(() => {
    const dropped = control.db.delete(apiKey).where(isOf(holder)).returning({ hash: apiKey.hash });
    return dropped.get() !== undefined;
  });

function writeKey(
  control: Control,
  { accountId, personId }: MemberId,
  write: (row: typeof apiKey.$inferInsert) => void,
): string {
  const key = newToken("aak");
  const prefix = key.slice(0, apiKeyPrefixChars);
  const row = {
    accountId,
    personId,
    hash: sha256Hex(key),
    prefix,
    createdAtMs: clock.nowMs(),
  };
  control.write(() => write(row));
  return key;
}
