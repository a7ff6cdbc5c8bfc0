import { memberOf } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { givenName } from "../../domain/given-name";
import { sentFilterErrors } from "../../domain/sent-filters";
import { expiryOf, frameOf, sharePagesOf } from "../../domain/share";
import {
  filtersToStore,
  splitStoredFilters,
  storedFiltersForAnswer,
} from "../../domain/stored-filters";
import { addressOfPage } from "../../http/auth/own-origin";
import { requirePeople, showsPeople } from "../../http/auth/rights";
import { maySeeFilters, refusePeople } from "../../http/auth/share-access";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import type { Feature } from "../../http/feature";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import type { RequestHead } from "../../http/operation/operation";
import { clock } from "../../lib/clock";
import { audited, entryOf } from "../../store/control/audit";
import type { ShareRow } from "../../store/control/share-tables";
import { requireOwn } from "../../store/control/shares";
import { type Application, sharedPageRoutes } from "./page-routes";
import { DeletedShare, Share, ShareList, ShareRequest, SharesQuery } from "./schema";

const tag = "Views and shares";

/** Links by which people without an account see a project's numbers, and nothing else. */
export const sharesFeature = (deps: Deps, application: Application): Feature => ({
  operations: [
    listRoute(deps),
    createRoute(deps),
    deleteRoute(deps),
    ...sharedPageRoutes(deps, application),
  ],
});

const listRoute = (deps: Deps) =>
  projectOperation("GET /shares", {
    access: free("key", "", { role: "editor" }),
    doc: {
      id: "listShares",
      page: "project/sharing",
      summary: "List shares",
      description: "Oldest first, including expired ones. Revoke one with DELETE /shares/{id}.",
      tag,
    },
    takes: SharesQuery,
    returns: { 200: ShareList },
    handle: ({ caller, project, request }) => ({
      project: project.name,
      shares: deps.control.shares
        .ofProject(project.id)
        // Its address would show single visitors to a member who may not see them.
        .filter(({ pages }) => showsPeople(caller) || pages.length === 0)
        .filter(({ filters }) => maySeeFilters(caller, splitStoredFilters(filters).filters))
        .map((row) => view(deps, request, row)),
    }),
  });

const createRoute = (deps: Deps) =>
  projectOperation("POST /shares", {
    access: free("key", "", { role: "editor" }),
    doc: {
      id: "createShare",
      page: "project/sharing",
      summary: "Create a share",
      description:
        "`url` is a page for a browser. The token at its end is a credential for programs, as `Authorization: " +
        "Bearer sht_…`. It reads only this project, and data about individual visitors only if `pages` allows " +
        "it. `filters` apply to every read and cannot be removed: reads see only matching events, and reads of " +
        "anything else are refused. If the share has a password, programs send it as `X-Share-Password`.",
      tag,
      errors: [...sentFilterErrors, "UNAVAILABLE"],
    },
    takes: ShareRequest,
    returns: { 201: Share },
    handle: async ({ caller, project, input, request, goals }) => {
      const { filters: sent = [], pages = [], frame = [], expires_at: expiry, password } = input;
      const filters = filtersToStore(sent, goals);
      refusePeople(caller, sent);
      if (pages.length > 0) requirePeople(caller);
      const asker = { kind: "account", key: memberOf(caller).personId } as const;
      const made = {
        ...{ projectId: project.id, name: givenName(input.name), filters },
        pages: sharePagesOf(pages),
        frame: frameOf(frame),
        expiresAtMs: expiry === undefined ? null : expiryOf(expiry, clock.nowMs()),
      };
      const passwordHash =
        password === undefined ? null : await deps.passwords.hash(password, asker);
      if (deps.control.projects.byId(project.id) === undefined) {
        throw new ApiError("NOT_FOUND", "This project was deleted.");
      }
      const row = audited(
        deps.control,
        () => deps.control.shares.add({ ...made, passwordHash }),
        (added) => entryOf(caller, "share_made", shareTarget(added), aboutShare(added)),
      );
      return reply(201, view(deps, request, row));
    },
  });

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /shares/{id}", {
    access: free("key", "", { role: "editor" }),
    doc: {
      id: "deleteShare",
      page: "project/sharing",
      summary: "Revoke a share",
      description: "Its page and its token stop working immediately and return 401.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: DeletedShare },
    handle: ({ caller, params }) => {
      const { shares } = deps.control;
      const row = requireOwn(deps.control, caller, shares.byId(params.id ?? ""), "share");
      audited(
        deps.control,
        () => shares.drop(row.id),
        () => entryOf(caller, "share_revoked", shareTarget(row), { projectId: row.projectId }),
      );
      return { ok: true, deleted: row.id };
    },
  });

const shareTarget = ({ id, name }: ShareRow) => ({ type: "share", id, name });

/** Filters are left out: their values may be those of visitors. */
const aboutShare = ({ projectId, pages, passwordHash, expiresAtMs }: ShareRow) => ({
  projectId,
  details: {
    ...{ pages, has_password: passwordHash !== null },
    expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
  },
});

const view = ({ config, control }: Deps, { headers }: RequestHead, row: ShareRow): Share => ({
  id: row.id,
  project_id: row.projectId,
  name: row.name,
  url: `${addressOfPage(config, headers)}/share/${control.shares.tokenOf(row)}`,
  pages: [...row.pages],
  ...storedFiltersForAnswer(row.filters),
  frame: [...row.frame],
  has_password: row.passwordHash !== null,
  created_at: new Date(row.createdAtMs).toISOString(),
  expires_at: row.expiresAtMs === null ? null : new Date(row.expiresAtMs).toISOString(),
});
