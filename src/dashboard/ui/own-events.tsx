import { param, set } from "../state/route";

/** Events of the tracker itself, such as $scroll_depth, are shown on request. */
const showsOwn = (): boolean => param("all") === "yes";

export const withoutOwn = <Event extends { readonly event: string }>(
  events: readonly Event[],
): readonly Event[] => (showsOwn() ? events : events.filter(({ event }) => !event.startsWith("$")));

export const OwnEvents = () => (
  <label class="inline">
    <input
      id="own-events"
      type="checkbox"
      checked={showsOwn()}
      onChange={() => set({ all: showsOwn() ? null : "yes" }, true)}
    />
    Show $ events
  </label>
);
