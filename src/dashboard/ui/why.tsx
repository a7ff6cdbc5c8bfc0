import { linkTo, place } from "../state/route";

/** The way from a comparison to what accounts for it. `own` is what the page there begins with. */
export const Why = ({ own = {} }: { readonly own?: Record<string, string> }) => (
  <a
    class="plain link why"
    href={linkTo("changes", place.value.project, { metric: "events", ...own })}
  >
    What changed?
  </a>
);
