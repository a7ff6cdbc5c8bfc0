import type { Dialect } from "./dialect";
import { goatcounter } from "./goatcounter";
import { matomo } from "./matomo";
import { mixpanel } from "./mixpanel";
import { plausible } from "./plausible";
import { posthog } from "./posthog";
import { segment } from "./segment";
import { umami } from "./umami";

/** Every dialect: the next one is a file beside this one, and a line here. */
export const dialects: readonly Dialect[] = [
  plausible,
  umami,
  goatcounter,
  matomo,
  segment,
  posthog,
  mixpanel,
];
