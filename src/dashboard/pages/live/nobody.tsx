import { isGuest } from "../../data/api";
import { linkTo } from "../../state/route";
import { begunAt, type Heard } from "./messages";

/**
 * What is said where the server has no event of the last minutes in its memory. That begins empty when it is started,
 * so it says that nobody was there when the stored events say so too.
 */
export const Nobody = ({ said }: { readonly said: Heard }) => (
  <p id="live-empty" class="finding">
    {textOf(said)} New events appear here immediately
    {isGuest.value ? (
      "."
    ) : (
      <>
        ; the{" "}
        <a class="link" href={linkTo("project")}>
          project settings
        </a>{" "}
        have the snippet that sends them.
      </>
    )}
  </p>
);

function textOf(said: Heard): string {
  if (said.past === null) return "No events are arriving.";
  if (begunAt(said, "5 minutes") === null) return "No visitors in the last 5 minutes.";
  return "No new events since the server started. The chart shows earlier ones.";
}
