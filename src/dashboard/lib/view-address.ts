const inProject = /^\/app\/p\/([^/?#]*)/;

/**
 * Returns the address of a saved view, which has the name that its project had then. If no project has this name any
 * more, the address gets the project's current name.
 */
export function viewAddress(address: string, names: readonly string[], project: string): string {
  const [start = "", name = ""] = inProject.exec(address) ?? [];
  if (start === "" || names.some((one) => encodeURIComponent(one) === name)) return address;
  return `/app/p/${encodeURIComponent(project)}${address.slice(start.length)}`;
}
