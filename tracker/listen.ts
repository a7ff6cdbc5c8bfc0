import { attempt } from "./attempt";
import { isOff } from "./events";

/** Watches without getting in the way: it never slows scrolling or throws, and the page cannot hide events from it. */
export const listen = <E extends Event>(type: string, handle: (event: E) => void): void =>
  addEventListener(
    type,
    (event) => {
      if (!isOff) attempt(() => handle(event as E));
    },
    { capture: true, passive: true },
  );
