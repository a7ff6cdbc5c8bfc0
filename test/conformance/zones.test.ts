import { expect, test } from "bun:test";
import { engineMsMax, isRefused, onEach, openEngine } from "../support/engine/opened-engine";
import { cases } from "../support/random/cases";
import { conform } from "./conformance";
import { settingOf, zoneEventsMax, zoneSettings } from "./zone-settings";

const askedShare = cases(0.1, 1);

test.each(onEach(zoneSettings, zoneSettings.slice(5, 7)))(
  "every read agrees with the model: %s (%s, %s)",
  async (_, zone, date, seed) => {
    const setting = settingOf(zone, date);
    const engine = { open: openEngine, refuses: isRefused };
    const asked = { askedShare, eventsMax: zoneEventsMax, setting, ...engine };
    expect(await conform(seed, asked)).toBeGreaterThan(0);
  },
  engineMsMax,
);
