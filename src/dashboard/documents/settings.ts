import { type Account, type Billing, call } from "./api";
import { byId, enableCopying, input, onClick, onSubmit, say, show } from "./dom";
import { confirmed, enter } from "./frame";
import { showSessions } from "./sessions";
import { countOf, dateOf, planOf } from "./words";

interface KeyState {
  readonly has_api_key: boolean;
  readonly prefix: string | null;
  readonly created_at: string | null;
  readonly last_used_at: string | null;
}

/** /app/settings */
export async function startSettings(): Promise<void> {
  const account = await enter();
  showAccount(account);
  enableCopying();
  onClick("key-make", "key-alert", () => newKey("/account/api-key"));
  onClick("key-replace", "key-alert", replaceKey);
  onClick("key-delete", "key-alert", deleteKey);
  onSubmit("password-form", "password-alert", changePassword);
  onSubmit("deletion-form", "deletion-alert", () => deleteAccount(account));
  await Promise.all([showKey(), showSessions()]);
  show("settings");
}

function showAccount(account: Account): void {
  byId("account-email").textContent = account.email;
  byId("account-id").textContent = account.id;
  byId("account-plan").textContent = planOf(account);
  const { events, reads } = account.usage;
  byId("account-usage").textContent =
    `${countOf(events, "event")}, ${countOf(reads, "read")} by programs`;
  input("password-email").value = account.email;
  input("deletion-email").value = account.email;
}

async function showKey(): Promise<void> {
  const key = await call<KeyState>("GET", "/account/api-key");
  const used = key.last_used_at === null ? "never used" : `last used ${dateOf(key.last_used_at)}`;
  byId("key-state").textContent = key.has_api_key
    ? `It begins with ${key.prefix}, was made ${dateOf(key.created_at)}, and was ${used}.`
    : "There is none.";
  show("key-make", !key.has_api_key);
  show("key-replace", key.has_api_key);
  show("key-delete", key.has_api_key);
}

async function newKey(path: string): Promise<void> {
  const { api_key } = await call<{ api_key: string }>("POST", path);
  byId("key").textContent = api_key;
  show("key-new");
  byId("key-new").focus();
  await showKey();
}

async function replaceKey(): Promise<void> {
  const question = "Replace the API key? What uses the old one stops at once.";
  if (await confirmed(question, "Replace it")) await newKey("/account/revoke-key");
}

async function deleteKey(): Promise<void> {
  if (!(await confirmed("Delete the API key? What uses it stops at once.", "Delete it"))) return;
  await call("DELETE", "/account/api-key");
  byId("key").textContent = "";
  show("key-new", false);
  await showKey();
}

async function changePassword(): Promise<void> {
  say("password-done", "");
  await call("POST", "/auth/password", {
    current_password: input("password-now").value,
    new_password: input("password-new").value,
  });
  input("password-now").value = "";
  input("password-new").value = "";
  say("password-done", "The password is changed.");
  await showSessions();
}

async function deleteAccount({ email }: Account): Promise<void> {
  const { status } = await call<Billing>("GET", "/billing");
  const isPaid = status === "active" || status === "past_due";
  const hint = isPaid ? " This does not end your subscription: cancel that first." : "";
  const question = `Delete the account ${email} and all its projects? There is no way back.${hint}`;
  if (!(await confirmed(question, "Delete everything"))) return;
  await call("DELETE", "/account", { password: input("deletion-password").value });
  location.replace("/login");
}
