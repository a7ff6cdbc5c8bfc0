const inProject = /^\/app\/p\/([^/?#]*)/;

/**
 * Returns the address of a saved view. The view was saved under the name that its project had then: where no project
 * has it any more, the address names the project as it is called now.
 */
export function viewAddress(address: string, names: readonly string[], project: string): string {
  const [start = "", name = ""] = inProject.exec(address) ?? [];
  if (start === "" || names.some((one) => encodeURIComponent(one) === name)) return address;
  return `/app/p/${encodeURIComponent(project)}${address.slice(start.length)}`;
}
