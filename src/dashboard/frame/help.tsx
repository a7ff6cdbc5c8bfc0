import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Shortcut } from "../lib/keys";

export const isHelpOpen = signal(false);

export function Help({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  return isHelpOpen.value ? <Open shortcuts={shortcuts} /> : null;
}

function Open({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <dialog class="help" ref={dialog} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keyboard</h2>
      <dl>
        <div>
          <dt>
            <kbd>Ctrl</kbd> <kbd>K</kbd>
          </dt>
          <dd>Search</dd>
        </div>
        {shortcuts.map(({ keys, text }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key.replace("ArrowLeft", "←").replace("ArrowRight", "→")}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" autofocus>
          Close
        </button>
      </form>
    </dialog>
  );
}
