import { copyText } from "../lib/copy";

const saidMs = 2_000;

/** Adds a button to each block of code that copies its text. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>(".code")) {
    const text = block.querySelector("pre")?.textContent ?? "";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.onclick = () =>
      void copyText(text).then((isDone) => {
        button.textContent = isDone ? "Copied" : "Select it and press Ctrl+C";
        setTimeout(() => {
          button.textContent = "Copy";
        }, saidMs);
      });
    block.append(button);
  }
}
