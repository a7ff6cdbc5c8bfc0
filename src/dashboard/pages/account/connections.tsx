import type { AgentsAnswer, BrowsersAnswer } from "../../data/account-answers";
import { call } from "../../data/api";
import { prepare, useRead } from "../../data/reads";
import type { ApiRequest } from "../../data/request";
import { localDate, localTime } from "../../lib/words";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";

const agents = { method: "GET", path: "/account/agent-sessions" } as const;
const browsers = { method: "GET", path: "/account/browser-sessions" } as const;

/** A browser or a program that is logged in. */
interface Connection {
  readonly name: string;
  readonly facts: string;
  readonly more?: string;
  /** The request that ends it; the browser that looks cannot end itself here, and has none. */
  readonly end: ApiRequest | null;
}

/** Programs that were let in. */
export function Agents() {
  const reading = useRead<AgentsAnswer>("Connected agents", agents);
  return (
    <Card title="Agents" id="agent-heading">
      <p class="fine">Programs that you allowed to read your numbers.</p>
      <When reading={reading} rows={2}>
        {({ sessions }) => (
          <Connections
            what="agent"
            listed={agents}
            connections={sessions.filter(({ status }) => status === "active").map(agentOf)}
          />
        )}
      </When>
    </Card>
  );
}

function agentOf(session: AgentsAnswer["sessions"][number]): Connection {
  const { id, client_type, client_name, label, scopes, created_at, last_used_at } = session;
  const name = label ?? client_name ?? client_type;
  const kind = name === client_type ? "" : `${client_type}, `;
  return {
    name,
    facts: `${kind}connected ${localTime(created_at)}, last used ${localTime(last_used_at)}`,
    more: `May: ${scopes.join(", ")}`,
    end: { method: "POST", path: "/agent-sessions/revoke", body: { session_id: id } },
  };
}

export function Browsers() {
  const reading = useRead<BrowsersAnswer>("Logged-in browsers", browsers);
  const action = useAction();
  const endOthers = (sessions: BrowsersAnswer["sessions"]) => async () => {
    const others = sessions.filter(({ is_current }) => !is_current);
    if (!(await confirmed("Log out all other browsers?", "Log out"))) return;
    for (const { id } of others) await call(endOf(id));
    await prepare(browsers, 0);
    document.getElementById("browser-heading")?.focus();
  };
  return (
    <Card title="Browsers" id="browser-heading">
      <p class="fine">Browsers in which you are logged in.</p>
      <When reading={reading} rows={2}>
        {({ sessions }) => (
          <>
            <Connections what="browser" listed={browsers} connections={sessions.map(browserOf)} />
            {sessions.length > 1 && (
              <button
                id="end-others"
                type="button"
                class="second"
                disabled={action.isBusy}
                onClick={() => action.run(endOthers(sessions))}
              >
                Log out all others
              </button>
            )}
            <Outcome error={action.error} done="" />
          </>
        )}
      </When>
    </Card>
  );
}

const endOf = (id: string): ApiRequest => ({ method: "DELETE", path: `${browsers.path}/${id}` });

function browserOf(session: BrowsersAnswer["sessions"][number]): Connection {
  const { id, label, network, is_current, created_at, last_seen_at } = session;
  const from = network === null ? "" : ` from ${network}`;
  return {
    name: label ?? "Unknown browser",
    facts: `logged in ${localTime(created_at)}${from}, last seen ${localDate(last_seen_at)}`,
    ...(is_current && { more: "This browser" }),
    end: is_current ? null : endOf(id),
  };
}

interface ConnectionsProps {
  readonly what: "agent" | "browser";
  /** Read again after one has ended. */
  readonly listed: ApiRequest;
  readonly connections: readonly Connection[];
}

function Connections({ what, listed, connections }: ConnectionsProps) {
  const { error, isBusy, run } = useAction();
  const disconnect = (name: string, request: ApiRequest) => async () => {
    if (!(await confirmed(`Disconnect ${name}?`, "Disconnect"))) return;
    await call(request);
    await prepare(listed, 0);
    // The button is gone, and what had the focus with it.
    document.getElementById(`${what}-heading`)?.focus();
  };
  if (connections.length === 0) return <p id={`${what}-none`}>None</p>;
  return (
    <>
      <ul id={`${what}-sessions`} class="entries">
        {connections.map(({ name, facts, more, end }, i) => (
          <li key={i}>
            <div>
              <strong>
                <Said text={name} />
              </strong>
              <p class="fine" id={`${what}-${i}`}>
                {facts}
              </p>
              {more !== undefined && <p class="fine">{more}</p>}
            </div>
            {end !== null && (
              <button
                type="button"
                class="small"
                aria-label={`Disconnect ${name}`}
                aria-describedby={`${what}-${i}`}
                disabled={isBusy}
                onClick={() => run(disconnect(name, end))}
              >
                Disconnect
              </button>
            )}
          </li>
        ))}
      </ul>
      <Outcome error={error} done="" />
    </>
  );
}
