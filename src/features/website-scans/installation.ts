import { isAllowedOrigin } from "../../domain/allowed-origin";
import { projectNamePattern } from "../../domain/project-name";
import type { Deps } from "../../http/deps";
import type { ProjectRow } from "../../store/control/tables";
import { labelOf } from "./reading/label";
import type { Page } from "./reading/page";
import { isTracker } from "./reading/providers";
import type { Installation } from "./schema";

/** What the pages say of our snippet. It is kept with the scan; what it means is looked up whenever it is read. */
export interface FoundSnippet {
  readonly origin: string;
  readonly script: string;
  readonly project: string | null;
  readonly token: string | null;
  readonly pages: number;
  readonly pagesWithIt: number;
}

const tokenForm = /^aat_[0-9a-f]{48}$/;
const nameForm = new RegExp(projectNamePattern);
const scriptCharsMax = 300;

/** The first of them, in document order; null when no page has one. */
export function snippetOn(pages: readonly Page[]): FoundSnippet | null {
  const found = pages.flatMap(({ scripts, url }) => {
    const script = scripts.find(isTracker);
    return script?.target == null ? [] : [{ script, url, address: script.target }];
  });
  const [first] = found;
  if (first === undefined) return null;
  const { script, url, address } = first;
  return {
    origin: url.origin,
    script: (address.origin + address.pathname).slice(0, scriptCharsMax),
    project: script.project !== null && nameForm.test(script.project) ? script.project : null,
    token: script.token !== null && tokenForm.test(script.token) ? script.token : null,
    pages: pages.length,
    pagesWithIt: found.length,
  };
}

type Problem = Installation["problems"][number];

/** Says how the snippet that was found would work for this account. Of somebody else's token only that is told. */
export async function installationOf(
  deps: Pick<Deps, "control" | "config">,
  accountId: string,
  snippet: FoundSnippet,
  lastEventAt: (project: ProjectRow) => Promise<number | null>,
): Promise<Installation> {
  const { control } = deps;
  const shown = { snippet: tagOf(snippet) };
  const project = ownProject(control, accountId, snippet.token);
  if (project === undefined) {
    const problems = [snippet.token === null ? tokenMissing : tokenNotYours];
    return { ...shown, token_valid: false, origin_allowed: false, last_event_at: null, problems };
  }
  const isAllowed = isAllowedOrigin(snippet.origin, project.allowedOrigins);
  const lastEventMs = await lastEventAt(project);
  return {
    ...shown,
    token_valid: true,
    origin_allowed: isAllowed,
    last_event_at: lastEventMs,
    problems: [
      ...(isAllowed ? [] : [originNotAllowed(snippet.origin)]),
      ...flawsOf(deps, snippet, project),
      ...(lastEventMs === null ? [noEventsYet] : []),
    ],
  };
}

function ownProject(
  control: Deps["control"],
  accountId: string,
  token: string | null,
): ProjectRow | undefined {
  const recipient = token === null ? undefined : control.projectByToken(token);
  const project = recipient === undefined ? undefined : control.projects.byId(recipient.id);
  return project?.accountId === accountId ? project : undefined;
}

function flawsOf(
  { config }: Pick<Deps, "config">,
  { origin, script, project: named, pages, pagesWithIt }: FoundSnippet,
  project: ProjectRow,
): readonly Problem[] {
  const problems: Problem[] = [];
  const home = new URL(script).origin;
  if (named !== project.name) {
    const what = `Set data-project="${project.name}" in the script tag, because the token belongs to that project.`;
    problems.push({ code: "PROJECT_NAME_DIFFERS", what_to_do: what });
  }
  if (config.publicUrlIsSet && home !== config.publicOrigin && home !== origin) {
    const what =
      `Load the script from ${config.publicUrl}/tracker.js. The tracker sends events to the server it was ` +
      "loaded from.";
    problems.push({ code: "OTHER_SERVER", what_to_do: what });
  }
  if (pagesWithIt < pages) {
    const what = `Add the snippet to every page. ${pagesWithIt} of the ${pages} scanned pages have it.`;
    problems.push({ code: "SNIPPET_ON_SOME_PAGES", what_to_do: what });
  }
  return problems;
}

const tokenMissing: Problem = {
  code: "TOKEN_MISSING",
  what_to_do:
    "Copy the project's whole snippet again. The data-token on the page is missing or damaged.",
};
const tokenNotYours: Problem = {
  code: "TOKEN_NOT_YOURS",
  what_to_do:
    "The token does not belong to a project of this account. Use the snippet of one of your projects.",
};
const noEventsYet: Problem = {
  code: "NO_EVENTS_YET",
  what_to_do:
    "Open a page of the site in a normal browser, then check GET /projects/{id}/arrivals.",
};
const originNotAllowed = (origin: string): Problem => ({
  code: "ORIGIN_NOT_ALLOWED",
  what_to_do: `Add ${origin} to the project's allowed origins: PATCH /projects/{id} with allowed_origins.`,
});

/** Put together again from what was checked. The address is as long as a page may be quoted. */
const tagOf = ({ script, project, token }: FoundSnippet): string =>
  `<script defer src="${labelOf(script)}"${attribute("project", project)}${attribute("token", token)}></script>`;
const attribute = (name: string, value: string | null): string =>
  value === null ? "" : ` data-${name}="${value}"`;
