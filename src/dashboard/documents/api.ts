import { addressAt } from "../lib/server-path";

/** Calls our own origin with the browser session's cookie. What it throws has a text for people. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const init: RequestInit = { method, credentials: "same-origin" };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await fetch(addressAt(path), init).catch(() => null);
  if (response === null)
    throw new Error(
      "Cannot reach the server. Check your connection and that the server is running.",
    );
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const {
    message = `The server responded with status ${response.status}. Try again in a moment.`,
  } = answer;
  throw new Error(message);
}

export interface AuthState {
  readonly needs_setup: boolean;
  readonly setup_token_required: boolean;
  readonly registration: "closed" | "open";
  readonly authenticated: boolean;
  readonly account?: { readonly user: { readonly email: string } | null };
}
