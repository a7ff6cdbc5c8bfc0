import { useEffect, useState } from "preact/hooks";
import { call } from "../data/api";
import { linkTo, place, set } from "../state/route";
import { isShown } from "../state/share";
import { Card } from "./card";
import { Waiting } from "./states";
import { useAction } from "./use-action";

/** The recording begins this long before an event, so that people see how it came about. */
const beforeMs = 1_000;

interface Opened {
  readonly viewer_url: string;
  readonly replay: { readonly analytics_session_id: string };
}

interface WatchingProps {
  readonly replay: string;
  /** The time of the event to begin at; empty for the beginning of the recording. */
  readonly at: string;
}

/** The button disappears with the recording, so the focus returns to the row that opened it. */
function close(): void {
  document.querySelector<HTMLElement>("main [aria-pressed=true]")?.focus();
  set({ replay: null, at: null });
}

/** Plays a recording beside its list. Closing it returns the focus to the list. */
export function Watching({ replay, at }: WatchingProps) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const { error, run } = useAction();
  useEffect(() => {
    run(async () => {
      const path = `/replays/${encodeURIComponent(replay)}/open`;
      setOpened((await call<Opened>({ method: "POST", path })).answer);
    });
  }, []);
  const start = at === "" ? "t=0" : `at=${Number(at) - beforeMs}`;
  const session = opened?.replay.analytics_session_id;
  return (
    <Card
      about="recordings"
      title="Recording"
      id="watching"
      tools={
        <>
          {session !== undefined && place.value.page !== "sessions" && isShown("sessions") && (
            <a class="small" href={linkTo("sessions", undefined, { session })}>
              Session
            </a>
          )}
          {opened !== null && (
            <a
              class="small"
              href={`${opened.viewer_url}#${start}`}
              target="_blank"
              rel="noreferrer"
            >
              New tab
            </a>
          )}
          <button type="button" class="small" onClick={close}>
            Close
          </button>
        </>
      }
    >
      {error !== "" && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {opened === null ? (
        error === "" && <Waiting rows={10} />
      ) : (
        <iframe
          class="player"
          title="Recording of the visit"
          allow="fullscreen"
          src={`${opened.viewer_url}#${start}&play`}
        />
      )}
    </Card>
  );
}
