import { call } from "./api";
import { busy, enableCopying, input, onSubmit } from "./dom";
import { logIn } from "./log-in";

/** Agent sign-in, for somebody who is not logged in: the same address then shows the request. */
export async function startVisitor(): Promise<void> {
  onSubmit("login-form", "alert", async () => {
    if (await logIn(input("email").value, input("password").value)) location.reload();
  });
  if (document.getElementById("sign-up-form") !== null) {
    onSubmit("sign-up-form", "sign-up-alert", async () => {
      const [email, password] = [input("new-email").value, input("new-password").value];
      await call("POST", "/auth/signup", { email, password });
      location.reload();
    });
  }
  input("email").focus();
}

/** The question itself: two plain forms, of which one is sent once. */
export async function startApproval(): Promise<void> {
  let isAnswered = false;
  let isConfirmed = document.getElementById("confirmation") === null;
  for (const form of document.querySelectorAll<HTMLFormElement>("form.answer")) {
    form.addEventListener("submit", (event) => {
      if (isAnswered) event.preventDefault();
      if (!isConfirmed && form.id.startsWith("approve-")) {
        event.preventDefault();
        void busy(form, "alert", async () => {
          await call("POST", "/auth/confirm", {
            password: input("password").value,
            code: input("code").value.trim(),
          });
          isConfirmed = true;
          form.requestSubmit();
        });
        return;
      }
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
