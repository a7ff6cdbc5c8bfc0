import { isAtLeast, type Role, type Standing } from "../../src/domain/role";

/** A person of the account, as far as rights go. */
export interface ModelMember extends Standing {
  readonly email: string;
}

export interface Sample {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly role: Role;
  readonly people?: true;
  /** It concerns all projects. */
  readonly isWhole?: true;
  /** The name of the project that it is about. */
  readonly project?: string;
  /** The scope with which an agent may ask; without one no agent may. */
  readonly scope?: string;
  /** Programs may not ask, whatever their person may. */
  readonly isForBrowsers?: true;
}

const get = (path: string, more: Partial<Sample> = {}): Sample => ({
  ...{ method: "GET", path, role: "viewer", ...more },
});

/** Operations of every kind of need, by hand. None of them changes what the model knows. */
export const samplesOf = (project: string): readonly Sample[] => [
  get("/account", { scope: "account:read" }),
  get("/members", { scope: "members:read" }),
  get("/account/api-key", { isForBrowsers: true }),
  get(`/stats?project=${project}`, { project, scope: "analytics:read" }),
  get(`/events?project=${project}`, { project, people: true, scope: "analytics:read" }),
  get(`/shares?project=${project}`, { project, role: "editor" }),
  get("/audit", { role: "admin" }),
  get("/webhooks", { role: "admin" }),
  {
    ...{ method: "PUT", path: "/project-context", body: { project, goals: ["Grow"] } },
    ...{ role: "editor", project, scope: "projects:write" },
  },
  {
    ...{ method: "POST", path: "/projects", body: { name: "shop", domain: "shop.example.com" } },
    ...{ role: "editor", isWhole: true, scope: "projects:write" },
  },
  {
    ...{ method: "PATCH", path: "/account", body: { name: "Ours" } },
    ...{ role: "owner", isForBrowsers: true },
  },
];

export type Means = "cookie" | "key" | readonly string[];

/** Tells whether a member may do something with a cookie, a key, or as an agent with these scopes. */
export function may(member: ModelMember, means: Means, sample: Sample): boolean {
  const { role, people = false, isWhole = false, project, scope, isForBrowsers = false } = sample;
  if (isForBrowsers && means !== "cookie") return false;
  if (typeof means !== "string" && (scope === undefined || !means.includes(scope))) return false;
  const isAdmin = isAtLeast(member.role, "admin");
  if (!isAtLeast(member.role, role) || (people && !isAdmin && !member.people)) return false;
  if (isWhole && member.projects !== null) return false;
  return project === undefined || sees(member, project);
}

const sees = ({ projects }: Standing, project: string): boolean =>
  projects === null || projects.includes(project);

/** Tells whether a member may give somebody this reach: nobody gives more than they see. */
export const mayGive = (by: ModelMember, projects: readonly string[] | null): boolean =>
  isAtLeast(by.role, "admin") &&
  (projects === null ? by.projects === null : projects.every((one) => sees(by, one)));
