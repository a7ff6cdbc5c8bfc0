import { type Arrivals, call, type Project, Refusal } from "./api";
import { byId, element, onClick, say, show } from "./dom";

const pollMs = 2_000;
const pollAfterErrorMs = 5_000;

let watched = "";

/**
 * Asks every two seconds until the first event has come, and tells what came and was not stored. One project is watched
 * at a time: the latest that was asked for.
 */
export function watchArrivals(project: Project): void {
  watched = project.id;
  showWaiting();
  const path = `/projects/${encodeURIComponent(project.id)}`;
  onClick("send-test", "waiting-alert", async () => {
    await call("POST", `${path}/test-event`);
  });
  const look = async (): Promise<number | null> => {
    const arrivals = await call<Arrivals>("GET", `${path}/arrivals`);
    say("waiting-alert", "");
    showNotStored(arrivals);
    const hasArrived = arrivals.stored > 0 || project.total_events > 0;
    if (hasArrived) showArrived(arrivals.first_event_at);
    return hasArrived ? null : pollMs;
  };
  const poll = (): void => {
    look()
      .catch(failed)
      .then((pauseMs) => {
        if (pauseMs !== null && watched === project.id) setTimeout(poll, pauseMs);
      });
  };
  poll();
}

function failed(error: unknown): number | null {
  if (error instanceof Refusal && error.status === 401) {
    location.replace("/login");
    return null;
  }
  say("waiting-alert", `${error instanceof Error ? error.message : "No answer."} Trying again…`);
  return pollAfterErrorMs;
}

function showWaiting(): void {
  byId("waiting").dataset.state = "waiting";
  byId("waiting-status").textContent = "Waiting for the first event…";
  show("waiting-help");
  show("arrived-help", false);
  show("not-stored", false);
}

function showArrived(firstEventAt: number | null): void {
  const when = firstEventAt === null ? "" : ` at ${new Date(firstEventAt).toLocaleTimeString()}`;
  byId("waiting").dataset.state = "arrived";
  byId("waiting-status").textContent = `The first event has arrived${when}.`;
  show("waiting-help", false);
  show("arrived-help");
}

function showNotStored({ automated, refused_origins, refused_events }: Arrivals): void {
  const rows = [
    ...automated.map((one) => ({ ...one, what: `Automated: ${one.actor} (${one.category})` })),
    ...refused_origins.map((one) => ({ ...one, what: `Origin not allowed: ${one.origin}` })),
    ...refused_events.map((one) => ({
      ...one,
      what: `Refused: ${one.code}${one.field === null ? "" : ` (${one.field})`}`,
    })),
  ];
  show("not-stored", rows.length > 0);
  byId("not-stored-rows").replaceChildren(
    ...rows.map(({ what, requests, remedy }) =>
      element("tr", "", [
        element("td", what),
        element("td", String(requests)),
        element("td", remedy),
      ]),
    ),
  );
}
