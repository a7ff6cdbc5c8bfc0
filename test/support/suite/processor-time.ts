/**
 * The processor time that this process has taken, in milliseconds. A test that work stays bounded is held against this:
 * the time that passes depends on what else the machine does.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
