/** An answer of the API that is an error, with the text it has for people. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Calls our own origin with the browser session's cookie. Throws Refusal, or Error when the server is not reached. */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const init: RequestInit = { method, credentials: "same-origin" };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await fetch(path, init).catch(() => null);
  if (response === null) throw new Error("The server cannot be reached. Is it running?");
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { error = "", message = `The server answered ${response.status}.` } = answer;
  throw new Refusal(response.status, error, message);
}

export interface AuthState {
  readonly needs_setup: boolean;
  readonly setup_token_required: boolean;
  readonly registration: "closed" | "open";
  readonly authenticated: boolean;
  readonly account?: Account;
}

/** Of what GET /account answers, what pages show. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly tier: "free" | "pro";
  readonly complimentary: boolean;
  readonly is_admin: boolean;
  readonly projects_count: number;
  readonly usage: { readonly events: number; readonly reads: number };
}

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly project_token: string;
  readonly allowed_origins: string;
  readonly total_events: number;
}

export interface ProjectList {
  readonly projects: readonly Project[];
  readonly has_api_key: boolean;
}

export interface CreatedProject extends Project {
  readonly snippet: string;
  readonly snippet_note: string;
}

/** Of a website scan, what the start page shows. */
export interface Scan {
  readonly normalized_url: string;
  readonly preview: {
    readonly minimum_viable_instrumentation: readonly {
      readonly event: string;
      readonly why_this_matters_now: string;
      readonly implementation_hint: string;
    }[];
  };
  /** When our snippet is on the page. */
  readonly installation?: { readonly problems: readonly { readonly what_to_do: string }[] };
}

interface NotStored {
  readonly requests: number;
  readonly remedy: string;
}

/** What reached a project since the server started, and what of it was not stored. */
export interface Arrivals {
  readonly first_event_at: number | null;
  readonly stored: number;
  readonly automated: readonly (NotStored & {
    readonly category: string;
    readonly actor: string;
  })[];
  readonly refused_origins: readonly (NotStored & { readonly origin: string })[];
  readonly refused_events: readonly (NotStored & {
    readonly code: string;
    readonly field: string | null;
  })[];
}

/** What GET /billing answers. */
export interface Billing {
  readonly tier: "free" | "pro";
  readonly complimentary: boolean;
  /** Whether the server takes payments. */
  readonly billing: boolean;
  readonly status: "none" | "active" | "past_due" | "canceled";
  readonly current_period_end: string | null;
}
