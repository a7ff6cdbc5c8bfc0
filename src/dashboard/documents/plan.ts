import { call, type Scan } from "./api";
import { byId, element, input, onSubmit, show } from "./dom";

/** Beside the snippet: a page of the project's site is read, and what to track first on it is listed. */
export function offerPlan(project: string, domain: string): void {
  input("plan-address").value = domain.replace("*.", "");
  show("plan", false);
  onSubmit("plan-form", "plan-alert", async () => {
    show("plan", false);
    const url = input("plan-address").value.trim();
    showPlan(await call<Scan>("POST", "/website-scans", { url, project }));
  });
}

function showPlan({ normalized_url, preview, installation }: Scan): void {
  const { minimum_viable_instrumentation: events } = preview;
  byId("plan-title").textContent = normalized_url;
  byId("plan-events").replaceChildren(
    ...events.map(({ event, why_this_matters_now, implementation_hint }) =>
      element("li", "", [
        element("strong", event),
        element("p", why_this_matters_now),
        element("p", implementation_hint),
      ]),
    ),
  );
  byId("plan-snippet").textContent = snippetSentence(installation);
  byId("plan-problems").replaceChildren(
    ...(installation?.problems ?? []).map(({ what_to_do }) => element("li", what_to_do)),
  );
  show("plan");
  byId("plan-heading").focus();
}

function snippetSentence(installation: Scan["installation"]): string {
  if (installation === undefined) return "The snippet is not on this page yet. Put it in first.";
  return installation.problems.length === 0
    ? "The snippet is on this page, and its events arrive."
    : "The snippet is on this page. What is left to do there:";
}
