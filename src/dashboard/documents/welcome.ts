import { type CreatedProject, call, type Project, type ProjectList } from "./api";
import { watchArrivals } from "./arrivals";
import { byId, element, enableCopying, input, onClick, onSubmit, show } from "./dom";
import { enter } from "./frame";
import { offerPlan } from "./plan";

/** /app: key, project, snippet, and the wait for the first event. */
export async function startWelcome(): Promise<void> {
  await enter();
  enableCopying();
  onClick("make-key", "alert", makeKey);
  onSubmit("project-form", "project-alert", createProject);
  await loadProjects();
}

async function loadProjects(): Promise<void> {
  const { projects, has_api_key } = await call<ProjectList>("GET", "/projects");
  show("key-exists", has_api_key && byId("key").textContent === "");
  show("key-missing", !has_api_key);
  // Who did not ask for this page wants to see numbers, as soon as there are any.
  if (location.search === "" && projects.some(({ total_events }) => total_events > 0)) {
    return location.replace("/app/p");
  }
  const chosen = projects.find(({ id }) => id === chosenId()) ?? projects.at(-1);
  fillChooser(projects, chosen);
  byId("project-new").toggleAttribute("open", chosen === undefined);
  show("project", chosen !== undefined);
  if (chosen !== undefined) await showProject(chosen);
}

async function makeKey(): Promise<void> {
  const { api_key } = await call<{ api_key: string }>("POST", "/account/api-key");
  byId("key").textContent = api_key;
  byId("first-read").textContent = (byId("first-read").textContent ?? "").replace(
    "YOUR_API_KEY",
    api_key,
  );
  show("key-missing", false);
  show("key-new");
  byId("key-new").focus();
}

async function createProject(): Promise<void> {
  const name = input("project-name").value.trim();
  const domain = input("project-domain").value.trim();
  const { id } = await call<CreatedProject>("POST", "/projects", { name, domain });
  choose(id);
  await loadProjects();
  byId("snippet-heading").focus();
}

/** The snippet comes from the server: creating a project that exists changes nothing and tells it again. */
async function showProject(project: Project): Promise<void> {
  const domain = project.allowed_origins.split(",").find((origin) => origin !== "*");
  const known = { name: project.name, domain: domain ?? location.origin };
  const { snippet, snippet_note } = await call<CreatedProject>("POST", "/projects", known);
  byId("project-title").textContent = project.name;
  byId("snippet").textContent = snippet;
  byId("snippet-note").textContent = snippet_note;
  byId("first-event").textContent = curlForEvent(project.project_token);
  byId("first-read").textContent =
    `curl -A my-app/1.0 -H "X-API-Key: ${shownKey()}" "${location.origin}/stats?project=${project.name}&since=7d"`;
  offerPlan(project.name, domain ?? "");
  watchArrivals(project);
}

const shownKey = (): string => byId("key").textContent || "YOUR_API_KEY";

const curlForEvent = (token: string): string =>
  `curl -A my-app/1.0 ${location.origin}/track -d '${JSON.stringify({ token, event: "hello" })}'`;

function fillChooser(projects: readonly Project[], chosen: Project | undefined): void {
  const chooser = byId("project-chooser");
  show("project-chooser-row", projects.length > 0);
  chooser.replaceChildren(
    ...projects.map(({ id, name }) => {
      const option = element("option", name);
      option.setAttribute("value", id);
      option.toggleAttribute("selected", id === chosen?.id);
      return option;
    }),
  );
  chooser.onchange = () => {
    if (chooser instanceof HTMLSelectElement) choose(chooser.value);
    location.reload();
  };
}

// The choice lives in the address, so that a reload or a link shows the same project.
const chosenId = (): string | null => new URLSearchParams(location.search).get("project");
const choose = (id: string): void =>
  history.replaceState(null, "", `/app?project=${encodeURIComponent(id)}`);
