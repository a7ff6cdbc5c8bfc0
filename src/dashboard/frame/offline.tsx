import { useEffect } from "preact/hooks";
import { call, isOffline, mayPoll } from "../data/api";
import { catchUp, oldestAnswerMs } from "../data/reads";
import { localTime } from "../lib/words";

const tryEveryMs = 5_000;
const probe = { method: "GET", path: "/health" } as const;

/** Asks whether the server answers again; then the page catches up by itself. */
const tryAgain = (): Promise<void> =>
  call(probe).then(
    () => catchUp(),
    () => undefined,
  );

/** A message above every page while the server is out of reach, with the time of the numbers that the page shows. */
export function Offline() {
  const isLost = isOffline.value;
  useEffect(() => {
    const look = () => void tryAgain();
    addEventListener("offline", look);
    addEventListener("online", look);
    return () => {
      removeEventListener("offline", look);
      removeEventListener("online", look);
    };
  }, []);
  useEffect(() => {
    if (!isLost) return;
    const timer = setInterval(() => mayPoll() && void tryAgain(), tryEveryMs);
    return () => clearInterval(timer);
  }, [isLost]);
  if (!isLost) return null;
  const atMs = oldestAnswerMs();
  return (
    <p class="alert offline" role="status">
      <strong>No connection to the server.</strong>{" "}
      {atMs !== null && (
        <>
          The numbers are from{" "}
          <time dateTime={new Date(atMs).toISOString()} title={new Date(atMs).toISOString()}>
            {localTime(atMs)}
          </time>
          .{" "}
        </>
      )}
      The page tries again by itself.
    </p>
  );
}
