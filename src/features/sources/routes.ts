import { ApiError, invalidField } from "../../domain/errors";
import { type SourceKind, sourceKeyOf, sourceKeyRule } from "../../domain/source";
import { addressOfPage } from "../../http/auth/own-origin";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import type { RequestHead } from "../../http/operation/operation";
import { clock } from "../../lib/clock";
import type { LastRefusal } from "../../services/source-counts";
import { noteProjectChanged } from "../../store/control/audit";
import { findProjectByPath } from "../../store/control/project-selector";
import type { SourceRow } from "../../store/control/source-tables";
import { sourcesExample } from "./examples";
import { DeletedSource, Source, SourceList, SourceRequest } from "./schema";

const tag = "Projects";

/** The addresses under which a project takes what other products' clients send. */
export const sourcesFeature = (deps: Deps): Feature => ({
  operations: [listRoute(deps), createRoute(deps), deleteRoute(deps)],
});

const listRoute = (deps: Deps) =>
  accountOperation("GET /projects/{id}/sources", {
    access: free("projects:read"),
    doc: {
      id: "listSources",
      summary: "Where a project takes events of other products' clients",
      description:
        "Oldest first, each with what came in the last 24 hours. Below its `url` lie the paths that clients of that " +
        "product ask for, so a site moves by changing one address; the guide under /docs has the lines of each.",
      tag,
      example: sourcesExample,
      errors: ["NOT_FOUND"],
    },
    takes: nothing,
    returns: { 200: SourceList },
    handle: ({ caller, params, request }) => {
      const { id } = findProjectByPath(deps, caller, params.id ?? "");
      const rows = deps.control.sources.ofProject(id);
      return { sources: rows.map((row) => viewOf(deps, request, row)) };
    },
  });

const createRoute = (deps: Deps) =>
  accountOperation("POST /projects/{id}/sources", {
    access: free("projects:write", "", { role: "admin" }),
    doc: {
      id: "createSource",
      page: "move",
      summary: "Take events of another product's clients",
      description:
        "The answer's `url` takes the place of the other server's address. A `key` is needed only where this server " +
        "has taken over the other one's host name: the paths work at the root then, and the key says whose events " +
        "they are. It is unique on this server. At most 20 a project.",
      tag,
      errors: ["NOT_FOUND", "SOURCE_TAKEN", "UNAVAILABLE"],
    },
    takes: SourceRequest,
    returns: { 201: Source },
    checkPath: ({ caller, params }) => void findProjectByPath(deps, caller, params.id ?? ""),
    handle: ({ caller, input: { kind, key }, params, request }) => {
      const { control } = deps;
      const project = findProjectByPath(deps, caller, params.id ?? "");
      const keyed = key === undefined ? null : keyOf(kind, key);
      const row = control.write(() => {
        const added = control.sources.add(project.id, kind, keyed);
        noteProjectChanged(control, caller, project, { source_added: { id: added.id, kind } });
        return added;
      });
      return reply(201, viewOf(deps, request, row));
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /projects/{id}/sources/{source}", {
    access: free("projects:write", "", { role: "admin" }),
    doc: {
      id: "deleteSource",
      page: "move",
      summary: "Take no more events of another product's clients",
      description: "Its address stops at once, with 401. Events that it brought stay.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: DeletedSource },
    handle: ({ caller, params }) => {
      const { control } = deps;
      const project = findProjectByPath(deps, caller, params.id ?? "");
      const { source = "" } = params;
      const isDropped = control.write(() => {
        if (!control.sources.drop(project.id, source)) return false;
        noteProjectChanged(control, caller, project, { source_removed: { id: source } });
        return true;
      });
      if (!isDropped) {
        throw new ApiError(
          "NOT_FOUND",
          "The project has no such source. GET /projects/{id}/sources lists them.",
        );
      }
      return { ok: true, deleted: source };
    },
  });

/** Returns the key in its one spelling. Throws MISSING_FIELDS. */
function keyOf(kind: SourceKind, sent: string): string {
  const rule = sourceKeyRule(kind);
  if (rule === null)
    throw invalidField("key", `A source of ${kind} has no key. Leave \`key\` out.`);
  const key = sourceKeyOf(kind, sent);
  if (key === null) throw invalidField("key", `The key of ${kind} ${rule}.`);
  return key;
}

function viewOf(
  { config, sourceCounts }: Deps,
  { headers }: RequestHead,
  { id, kind, key, createdAtMs }: SourceRow,
): Source {
  const counts = sourceCounts.of(id, clock.nowMs());
  const { accepted, filtered, unsupported, refused, lastEventAtMs, lastRefusal } = counts;
  return {
    ...{ id, kind, key },
    url: `${addressOfPage(config, headers)}/in/${id}`,
    created_at: createdAtMs,
    last24h: { accepted, filtered, unsupported, refused },
    last_event_at: lastEventAtMs,
    last_refusal: lastRefusal === null ? null : shownRefusal(lastRefusal),
  };
}

const shownRefusal = ({ code, field, atMs }: LastRefusal) => ({
  code,
  ...(field !== null && { field }),
  at: atMs,
});
