import { call } from "./api";
import { byId, element, onPress, show } from "./dom";
import { confirmed } from "./frame";
import { dateOf, timeOf } from "./words";

interface AgentSession {
  readonly id: string;
  readonly client_type: string;
  readonly client_name: string | null;
  readonly label: string | null;
  readonly scopes: readonly string[];
  readonly status: "active" | "revoked";
  readonly created_at: number;
  readonly last_used_at: number;
}

interface BrowserSession {
  readonly id: string;
  readonly label: string | null;
  readonly is_current: boolean;
  readonly created_at: string;
  readonly last_seen_at: string;
}

/** Whatever is signed in, with a way to sign it out. */
export const showSessions = (): Promise<unknown> => Promise.all([showAgents(), showBrowsers()]);

async function showAgents(): Promise<void> {
  const { sessions } = await call<{ sessions: readonly AgentSession[] }>(
    "GET",
    "/account/agent-sessions",
  );
  const active = sessions.filter(({ status }) => status === "active");
  list(
    "agent",
    active.map((session) => {
      const { client_type, client_name, label, scopes, created_at, last_used_at } = session;
      const name = label ?? client_name ?? client_type;
      const kind = name === client_type ? "" : `${client_type}, `;
      return {
        name,
        facts: `${kind}let in ${dateOf(created_at)}, last used ${timeOf(last_used_at)}`,
        more: `May: ${scopes.join(", ")}`,
        disconnect: async () => {
          await call("POST", "/agent-sessions/revoke", { session_id: session.id });
          await showAgents();
        },
      };
    }),
  );
}

async function showBrowsers(): Promise<void> {
  const { sessions } = await call<{ sessions: readonly BrowserSession[] }>(
    "GET",
    "/account/browser-sessions",
  );
  list(
    "browser",
    sessions.map((session) => {
      const { id, label, is_current, created_at, last_seen_at } = session;
      const facts = `logged in ${dateOf(created_at)}, last seen ${dateOf(last_seen_at)}`;
      const disconnect = async () => {
        await call("DELETE", `/account/browser-sessions/${id}`);
        await showBrowsers();
      };
      const name = label ?? "A browser";
      return { name, facts, ...(is_current ? { more: "This browser" } : { disconnect }) };
    }),
  );
}

interface Card {
  readonly name: string;
  readonly facts: string;
  readonly more?: string;
  readonly disconnect?: () => Promise<void>;
}

function list(what: "agent" | "browser", cards: readonly Card[]): void {
  show(`${what}-none`, cards.length === 0);
  byId(`${what}-sessions`).replaceChildren(
    ...cards.map(({ name, facts, more, disconnect }, index) => {
      const known = element("p", facts);
      known.id = `${what}-${index}`;
      const parts = [element("strong", name), known];
      if (more !== undefined) parts.push(element("p", more));
      if (disconnect !== undefined) {
        const button = disconnectButton(what, name, disconnect);
        button.setAttribute("aria-describedby", known.id);
        parts.push(button);
      }
      return element("li", "", parts);
    }),
  );
}

function disconnectButton(
  what: "agent" | "browser",
  name: string,
  disconnect: () => Promise<void>,
): HTMLElement {
  const button = element("button", "Disconnect");
  button.setAttribute("type", "button");
  button.setAttribute("aria-label", `Disconnect ${name}`);
  button.className = "quiet";
  onPress(button, `${what}-alert`, async () => {
    if (!(await confirmed(`Disconnect ${name}?`, "Disconnect"))) return;
    await disconnect();
    // The button is gone, and what had the focus with it.
    byId(`${what}-heading`).focus();
  });
  return button;
}
