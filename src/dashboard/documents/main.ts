import { applyTheme } from "../frame/theme";
import { startAdmin } from "./admin";
import { startApproval, startFinish, startVisitor } from "./approval";
import { startBilling, startUpgrade } from "./billing";
import { say } from "./dom";
import { startSettings } from "./settings";
import { startLogin, startSetup } from "./sign-in";
import { startWelcome } from "./welcome";

/** Each document names its page on its body; one script serves them all. */
const pages: Readonly<Record<string, () => Promise<void>>> = {
  setup: startSetup,
  login: startLogin,
  welcome: startWelcome,
  settings: startSettings,
  admin: startAdmin,
  billing: startBilling,
  upgrade: startUpgrade,
  visitor: startVisitor,
  approval: startApproval,
  finish: startFinish,
};

applyTheme();
pages[document.body.dataset.page ?? ""]?.().catch((error: unknown) => {
  say("alert", error instanceof Error ? error.message : "The page could not start. Reload it.");
});
