import { type Caller, isReadable } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { clock } from "../../lib/clock";
import { deletedKeptMs } from "./deletion";
import type { WithProjects } from "./projects";
import type { ProjectRow } from "./tables";

/** A live project of the caller's account. */
export type Project = ProjectRow;

interface ProjectDeps {
  readonly control: WithProjects;
}

/** Returns the live projects that a caller may see, oldest first. */
export const readableProjects = ({ control }: ProjectDeps, caller: Caller): readonly Project[] =>
  control.projects.ofAccount(caller.account.id).filter((one) => isReadable(caller, one));

/** Finds a project by `project`: the id is tried first, then the exact name. Throws NOT_FOUND. */
export function findProject(deps: ProjectDeps, caller: Caller, selector: string): Project {
  const found = ownProject(deps, caller, selector);
  if (found === undefined) throw notFound();
  return found;
}

/** Finds a project, also one that was deleted and is still kept: by its id alone, and not for agents. */
export function findProjectOrDeleted(deps: ProjectDeps, caller: Caller, selector: string): Project {
  const found = ownProject(deps, caller, selector);
  if (found !== undefined) return found;
  const isOwner = caller.kind === "key" || caller.kind === "cookie";
  const deleted = isOwner ? deps.control.projects.deletedById(selector) : undefined;
  const isKept = clock.nowMs() - (deleted?.deletedAtMs ?? 0) < deletedKeptMs;
  if (deleted === undefined || !isReadable(caller, deleted) || !isKept) throw notFound();
  return deleted;
}

/** Finds a project where none need be named: then it is the account's oldest. */
export function findProjectOrOldest(deps: ProjectDeps, caller: Caller, selector: unknown): Project {
  if (typeof selector === "string" && selector !== "") return findProject(deps, caller, selector);
  if (caller.share !== null) return findProject(deps, caller, caller.share.projectId);
  const [oldest] = readableProjects(deps, caller);
  if (oldest !== undefined) return oldest;
  throw new ApiError(
    "NOT_FOUND",
    "This account has no projects yet. Create one with POST /projects.",
  );
}

/** Finds a project by `{id}` of a path, where another account's project is told apart from one that does not exist. */
export function findProjectByPath(deps: ProjectDeps, caller: Caller, selector: string): Project {
  const found = ownProject(deps, caller, selector);
  if (found !== undefined) return found;
  if (deps.control.projects.byId(selector) === undefined) throw notFound();
  throw new ApiError("FORBIDDEN", "This project belongs to another account.");
}

/** Finds the same project; undefined where there is none. */
export function ownProject(
  deps: ProjectDeps,
  caller: Caller,
  selector: string,
): Project | undefined {
  const found = deps.control.projects.bySelector(caller.account.id, selector);
  return found !== undefined && isReadable(caller, found) ? found : undefined;
}

const notFound = (): ApiError =>
  new ApiError(
    "NOT_FOUND",
    "This project does not exist. GET /projects lists those of this account.",
  );
