import type { ComponentChildren } from "preact";

interface ScrollProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A part that scrolls by itself. It takes the focus, so that it can be scrolled without a mouse. */
export const Scroll = ({ label, class: name = "", children }: ScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll only what has the focus
  <section class={`scroll ${name}`} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
