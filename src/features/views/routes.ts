import { ApiError, invalidField } from "../../domain/errors";
import { givenName } from "../../domain/given-name";
import { viewAddressOf } from "../../domain/share";
import { maySeeFilters, refusePeople } from "../../http/auth/share-access";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import type { Feature } from "../../http/feature";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import type { ViewRow } from "../../store/control/share-tables";
import { requireOwn } from "../../store/control/shares";
import { viewsExample } from "./examples";
import { DeletedView, View, ViewChange, ViewList, ViewRequest, ViewsQuery } from "./schema";

const tag = "Views and shares";

/** Addresses of dashboard pages under names: a segment that somebody comes back to. */
export const viewsFeature = (deps: Deps): Feature => ({
  operations: [listRoute(deps), createRoute(deps), changeRoute(deps), deleteRoute(deps)],
});

const listRoute = (deps: Deps) =>
  projectOperation("GET /views", {
    access: free("projects:read"),
    doc: {
      id: "listViews",
      summary: "List saved views",
      description:
        "Named addresses of dashboard pages, oldest first. An address is a path and query to open on this " +
        "server.",
      tag,
      example: viewsExample,
    },
    takes: ViewsQuery,
    returns: { 200: ViewList },
    handle: ({ caller, project }) => ({
      project: project.name,
      views: deps.control.views
        .ofProject(project.id)
        .filter((row) => maySeeFilters(caller, wordsOfAddress(row.address)))
        .map(viewOf),
    }),
  });

const createRoute = (deps: Deps) =>
  projectOperation("POST /views", {
    access: free("projects:write", "", { role: "viewer" }),
    doc: {
      id: "createView",
      page: "overview",
      summary: "Save a view",
      description:
        "`address` is the path and query of a dashboard page, including its filters. At most 200 views per " +
        "project.",
      tag,
      errors: ["UNAVAILABLE"],
    },
    takes: ViewRequest,
    returns: { 201: View },
    handle: ({ project, input }) => {
      const made = { name: givenName(input.name), address: viewAddressOf(input.address) };
      return reply(201, viewOf(deps.control.views.add(project.id, made)));
    },
  });

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /views/{id}", {
    access: free("projects:write", "", { role: "viewer" }),
    doc: {
      id: "updateView",
      page: "overview",
      summary: "Change a saved view",
      description: "Send at least one field; absent fields stay unchanged.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: ViewChange,
    returns: { 200: View },
    handle: ({ caller, input, params }) => {
      const { views } = deps.control;
      const own = requireOwn(deps.control, caller, views.byId(params.id ?? ""), "view");
      refusePeople(caller, wordsOfAddress(own.address));
      const { id } = own;
      const { name, address } = input;
      if (name === undefined && address === undefined) {
        throw invalidField("name", "Send `name`, `address`, or both.");
      }
      const changed = views.change(id, {
        ...(name !== undefined && { name: givenName(name) }),
        ...(address !== undefined && { address: viewAddressOf(address) }),
      });
      if (changed !== undefined) return viewOf(changed);
      throw new ApiError("NOT_FOUND", "This view was deleted.");
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /views/{id}", {
    access: free("projects:write", "", { role: "viewer" }),
    doc: {
      id: "deleteView",
      page: "overview",
      summary: "Delete a saved view",
      description: "Deletes only the view, not the page it points to.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: DeletedView },
    handle: ({ caller, params }) => {
      const { views } = deps.control;
      const { id } = requireOwn(deps.control, caller, views.byId(params.id ?? ""), "view");
      views.drop(id);
      return { ok: true, deleted: id };
    },
  });

/** The fields of the filters in a page's address, and the parameters that select a single visitor. */
function wordsOfAddress(address: string): readonly string[] {
  const { pathname, searchParams } = new URL(address, "http://any.invalid");
  const names = { user: "user_id", session: "session_id" } as const;
  return [
    ...(isPageOfVisitor(pathname, searchParams) ? ["user_id"] : []),
    ...Object.entries(names).flatMap(([name, word]) => (searchParams.has(name) ? [word] : [])),
    ...[...searchParams.values()].flatMap((value) =>
      value.startsWith("{") ? [value] : value.split(/[|~]/),
    ),
  ];
}
/** The address of a visitor's page has the id in its path; below a share's one address it is a parameter. */
const isPageOfVisitor = (path: string, params: URLSearchParams): boolean =>
  /\/people\/./.test(path) || (params.get("page") === "people" && params.has("id"));

const viewOf = (row: ViewRow): View => ({
  id: row.id,
  project_id: row.projectId,
  name: row.name,
  address: row.address,
  created_at: new Date(row.createdAtMs).toISOString(),
  updated_at: new Date(row.updatedAtMs).toISOString(),
});
