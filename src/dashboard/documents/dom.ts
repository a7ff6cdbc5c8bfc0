/** The element with this id. The documents and these scripts are one build, so a missing one is our mistake. */
function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element #${id}.`);
  return element;
}

export function input(id: string): HTMLInputElement {
  const element = byId(id);
  if (!(element instanceof HTMLInputElement)) throw new Error(`#${id} is no input.`);
  return element;
}

export function show(id: string, isShown = true): void {
  byId(id).hidden = !isShown;
}

export function write(id: string, text: string): void {
  byId(id).textContent = text;
}

/** An alert region reads itself out when its text changes. */
export function say(id: string, text: string): void {
  const region = byId(id);
  region.textContent = text;
  region.hidden = text === "";
}

/** Runs `work` when the form is sent, once at a time; its alert region shows what went wrong. */
export function onSubmit(formId: string, alertId: string, work: () => Promise<void>): void {
  const form = byId(formId);
  form.onsubmit = (event) => {
    event.preventDefault();
    void busy(form, alertId, work);
  };
}

/** Shows that a part works, once at a time, and in its alert region what went wrong. */
export async function busy(
  part: HTMLElement,
  alertId: string,
  work: () => Promise<void>,
): Promise<void> {
  if (part.getAttribute("aria-busy") === "true") return;
  part.setAttribute("aria-busy", "true");
  say(alertId, "");
  try {
    await work();
  } catch (error) {
    say(alertId, error instanceof Error ? error.message : "Something went wrong. Try again.");
  } finally {
    part.removeAttribute("aria-busy");
  }
}

/** A button that copies the text of the element named by its data-copy attribute. */
export function enableCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    const label = button.textContent ?? "Copy";
    button.addEventListener("click", () => {
      void copy(byId(button.dataset.copy ?? "")).then((done) => {
        button.textContent = done ? "Copied" : "Press Ctrl+C to copy";
        setTimeout(() => {
          button.textContent = label;
        }, 2_000);
      });
    });
  }
}

/** The clipboard needs a secure context; elsewhere the text is selected for the person to copy. */
async function copy(source: HTMLElement): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(source.textContent ?? "");
    return true;
  }
  getSelection()?.selectAllChildren(source);
  return false;
}
