import { type MaintenanceRests, usualRests } from "../../../src/store/events/compact/maintenance";

/** What maintenance does when nothing else happens is done before a test has long waited for it. */
export const shortRests: MaintenanceRests = {
  ...usualRests,
  startMs: 0,
  idleMs: 100,
  failedMsMin: 50,
  sweepEveryMs: 20,
};
