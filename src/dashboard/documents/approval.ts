import { call } from "./api";
import { enableCopying, input, onSubmit } from "./dom";

/** Agent sign-in, for somebody who is not logged in: the same address then shows the request. */
export async function startVisitor(): Promise<void> {
  onSubmit("login-form", "alert", () => enter("/auth/login", ""));
  if (document.getElementById("sign-up-form") !== null) {
    onSubmit("sign-up-form", "sign-up-alert", () => enter("/auth/signup", "new-"));
  }
  input("email").focus();
}

async function enter(path: string, prefix: string): Promise<void> {
  const [email, password] = [input(`${prefix}email`).value, input(`${prefix}password`).value];
  await call("POST", path, { email, password });
  location.reload();
}

/** The question itself: two plain forms, of which one is sent once. */
export async function startApproval(): Promise<void> {
  let isAnswered = false;
  for (const form of document.querySelectorAll("form.answer")) {
    form.addEventListener("submit", (event) => {
      if (isAnswered) event.preventDefault();
      isAnswered = true;
    });
  }
  // A page that comes back out of the browser's memory may be answered again.
  addEventListener("pageshow", () => {
    isAnswered = false;
  });
}

/** The finish code. The address becomes that of the request, so that reloading asks nothing again. */
export async function startFinish(): Promise<void> {
  enableCopying();
  history.replaceState(null, "", location.pathname.replace(/\/approve$/, ""));
}
