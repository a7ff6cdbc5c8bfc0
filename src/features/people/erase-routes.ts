import { memberOf } from "../../domain/caller";
import { ApiError, invalidField } from "../../domain/errors";
import { requireFreshSignIn } from "../../http/auth/fresh-sign-in";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import { accountOperation, projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { actorOf, note } from "../../store/control/audit";
import type { ErasureRow } from "../../store/control/erasure-tables";
import { nobody, questionOf } from "./question";
import { Erasure, ErasureList, ErasurePreview, PersonEraseRequest } from "./schema";

const tag = "People";
/** A request waits until no read shows anything of the person. */
const idleSeconds = 180;

export const eraseRoutes = (deps: Deps) => [eraseRoute(deps), listRoute(deps), readRoute(deps)];

const eraseRoute = (deps: Deps) =>
  projectOperation("POST /people/erase", {
    access: free("key"),
    doc: {
      id: "erasePerson",
      page: "people",
      summary: "Erase one person",
      description:
        "First it only counts, and the response has `confirm`. Send the same request again with `dry_run: false` and " +
        "`confirm` to erase everything under all ids of the person: events, traits, links, digests of addresses and " +
        "recordings, also views, shares, alerts, reports, goals and experiments that name an id, and uploads not yet " +
        "imported. After the response 202 no read, export or stream shows the person, and within minutes no " +
        "file: GET /people/erasures/{id} tells. It cannot be undone.",
      tag,
      errors: [
        ...(["NOT_FOUND", "ERASURE_CHANGED", "IMPORT_BUSY", "CONFIRM_REQUIRED"] as const),
        "UNAVAILABLE",
      ],
    },
    takes: PersonEraseRequest,
    returns: { 200: ErasurePreview, 202: Erasure },
    handle: async ({ caller, project, input, setIdle }) => {
      const question = questionOf(deps, caller, project, input);
      const { dry_run: isDry = true, confirm, reference = null, block: blocks = false } = input;
      const { accountId, email } = memberOf(caller);
      setIdle(idleSeconds);
      if (isDry) {
        const preview = await deps.erasures.preview(accountId, question, blocks);
        if (preview === null) throw nobody();
        const { counts, firstMs, lastMs, confirm: good } = preview;
        const times = { first_at: isoOrNull(firstMs), last_at: isoOrNull(lastMs) };
        return reply(200, { ...counts, ...times, confirm: good });
      }
      if (confirm === undefined) {
        throw invalidField(
          "confirm",
          'Send the "confirm" of a preview, which dry_run: true makes.',
        );
      }
      requireFreshSignIn(caller);
      const made = {
        ...{ accountId, projectId: project.id, reference, requestedBy: email, blocks },
      };
      const erased = await deps.erasures.erase(made, question, confirm, ({ id }) =>
        note(deps.control, {
          ...{ accountId, actor: actorOf(caller), action: "person_erased" },
          target: { type: "project", id: project.id, name: project.name },
          details: {
            ...{ erasure: id, ...(reference !== null && { reference }) },
            ...(blocks && { blocked: true }),
          },
        }),
      );
      if (erased === null) throw nobody();
      return reply(202, viewOf(erased));
    },
  });

const listRoute = (deps: Deps) =>
  accountOperation("GET /people/erasures", {
    access: free("key"),
    doc: {
      id: "listErasures",
      summary: "List erasures",
      description: "Newest first. No erasure says who was erased.",
      tag,
    },
    takes: nothing,
    returns: { 200: ErasureList },
    handle: ({ caller }) => ({
      erasures: deps.control.erasures.ofAccount(caller.account.id).map(viewOf),
    }),
  });

const readRoute = (deps: Deps) =>
  accountOperation("GET /people/erasures/{id}", {
    access: free("key"),
    doc: {
      id: "getErasure",
      summary: "Get the state of an erasure",
      description:
        "`hidden_at`: since then no read shows the person. `erased_at`: since then no file of the server does. " +
        "`backups_until`: until then older copies in the backup do, and a restore leaves the person out.",
      tag,
      errors: ["NOT_FOUND"],
    },
    takes: nothing,
    returns: { 200: Erasure },
    handle: ({ caller, params: { id = "" } }) => {
      const row = deps.control.erasures.byId(id);
      if (row === undefined || row.accountId !== caller.account.id) throw unknown();
      return viewOf(row);
    },
  });

const viewOf = (row: ErasureRow): Erasure => ({
  ...{ id: row.id, project: row.projectId, reference: row.reference, by: row.requestedBy },
  requested_at: isoOf(row.requestedAtMs),
  hidden_at: isoOrNull(row.hiddenAtMs),
  ...(row.erasedAtMs !== null && { erased_at: isoOf(row.erasedAtMs) }),
  blocked: row.blocks,
  state: row.erasedAtMs === null ? "running" : "done",
  counts: row.counts,
  backups_until: isoOrNull(row.backupsUntilMs),
});

const isoOf = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOf(ms));

const unknown = (): ApiError =>
  new ApiError("NOT_FOUND", "This account has no such erasure. GET /people/erasures lists them.");
