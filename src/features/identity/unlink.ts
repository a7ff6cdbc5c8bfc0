import { ApiError } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { noteProjectChanged } from "../../store/control/audit";
import { ownEventsRead } from "./read";
import { UnlinkBody, UnlinkResponse } from "./schema";

/** Anybody with the public token can say that two people are one: who owns the project takes it back. */
export const unlinkRoute = (deps: Deps) =>
  projectOperation("POST /identities/unlink", {
    access: free("projects:write"),
    doc: {
      id: "unlinkIdentity",
      page: "project/privacy",
      summary: "Unlink a user id",
      description:
        "Reverses /identify: all events sent with previous_id count for previous_id again, and ids linked to " +
        "it follow. In a portfolio it leaves the identity set. Merged traits stay. Reads see the change when " +
        "this responds.",
      tag: "Projects",
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: UnlinkBody,
    returns: { 200: UnlinkResponse },
    handle: async ({ caller, project, input: { previous_id }, request }) => {
      const membership = deps.control.memberships.ofProject(project.id);
      // Links are in another database. An entry too many, for an id without a link, is better than one too few.
      deps.control.write(() =>
        noteProjectChanged(deps.control, caller, project, { identity: "unlinked" }),
      );
      const owner = await deps.store.unlink(project.id, previous_id, membership?.id ?? null);
      if (owner === null) throw notLinked();
      const question = { projectId: project.id, userId: previous_id };
      const { json } = await deps.store.read(ownEventsRead, question, {
        accountId: caller.account.id,
        signal: request.signal,
        arrivedAtMs: clock.nowMs(),
      });
      const { events }: { readonly events: number } = JSON.parse(json);
      return { ok: true, previous_id, user_id: owner, events };
    },
  });

const notLinked = (): ApiError =>
  new ApiError(
    "NOT_FOUND",
    "This id is not linked to another one in this project. Send the same previous_id as in POST /identify.",
  );
