import { options } from "preact";
import { addressAt } from "../lib/server-path";

interface Properties {
  href?: unknown;
  readonly children?: unknown;
}

/** Links are written with paths of the server, on every page alike; the browser needs them below its base path. */
export function addBaseToLinks(): void {
  const before = options.vnode;
  options.vnode = (element) => {
    if (element.type === "a") addBase(element.props);
    before?.(element);
  };
}

function addBase(props: Properties): void {
  const { href } = props;
  if (typeof href === "string" && /^\/(?!\/)/.test(href)) props.href = addressAt(href);
}
