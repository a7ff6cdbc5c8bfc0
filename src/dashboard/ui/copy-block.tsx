import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { copyText } from "../lib/copy";

interface CopyBlockProps {
  readonly id?: string;
  readonly text: string;
  /** The name of what is copied, for the button's label. */
  readonly what: string;
  /** The same text as it is shown, where parts of it are marked. */
  readonly children?: ComponentChildren;
}

const saidMs = 2_000;

/** A text to be taken elsewhere, with a button that copies it. */
export function CopyBlock({ id, text, what, children = text }: CopyBlockProps) {
  const [said, setSaid] = useState("Copy");
  const copy = () =>
    void copyText(text).then((isDone) => {
      setSaid(isDone ? "Copied" : "Select the text and press Ctrl+C");
      setTimeout(() => setSaid("Copy"), saidMs);
    });
  return (
    <>
      <pre class="code-block" id={id}>
        {children}
      </pre>
      <button type="button" class="small" aria-label={`${said}: ${what}`} onClick={copy}>
        {said}
      </button>
    </>
  );
}
