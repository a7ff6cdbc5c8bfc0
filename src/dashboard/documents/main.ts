import { applyTheme } from "../frame/theme";
import { startApproval, startFinish, startVisitor } from "./approval";
import { say } from "./dom";
import { startInvitation } from "./invitation";
import { startLogin, startReset, startSetup } from "./sign-in";

/**
 * What stands before the application: set-up, log-in and the question of a program that wants in. Each document names
 * its page on its body; one script serves them all.
 */
const pages: Readonly<Record<string, () => Promise<void>>> = {
  setup: startSetup,
  login: startLogin,
  invite: startInvitation,
  reset: startReset,
  visitor: startVisitor,
  approval: startApproval,
  finish: startFinish,
};

applyTheme();
pages[document.body.dataset.page ?? ""]?.().catch((error: unknown) => {
  say("alert", error instanceof Error ? error.message : "The page could not start. Reload it.");
});
