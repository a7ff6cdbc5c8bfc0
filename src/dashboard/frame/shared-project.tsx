import { fullDate } from "../lib/dates";
import { isOver, shared } from "../state/share";
import { Said } from "../ui/said";

/** A share has one project: its name stands where others choose one. */
export const SharedProject = () => (
  <strong class="shared-project">
    <Said class="cut" text={shared?.project ?? ""} />
  </strong>
);

/** Says who shows these numbers, and since when. */
export const SharedBy = () =>
  shared === null ? null : (
    <p class="shared-by">
      <Said text={shared.name} />: <Said text={shared.project} />, shared by{" "}
      <Said text={shared.owner} /> since {fullDate(shared.since)}, read-only.
    </p>
  );

/** The page of a share that has ended while somebody looked at it. */
export const Over = () =>
  isOver.value && shared !== null ? (
    <main class="share-over" id="main">
      <h1>This link no longer works</h1>
      <p>
        It has expired or was revoked. Ask <Said text={shared.owner} /> for a new one.
      </p>
    </main>
  ) : null;
