import { schema as control } from "../store/control/database";
import { schema as events } from "../store/events/tables";
import type { Schema } from "../store/migrate";
import { schema as replays } from "../store/replays/tables";
import { commit, target, version } from "../version";

/** The version for a person, or all that a program may want to know of this executable. */
export function versionText(isJson: boolean): string {
  if (!isJson) return `${version}\n`;
  const tables = {
    control: newestOf(control),
    events: newestOf(events),
    replays: newestOf(replays),
  };
  return `${JSON.stringify({ version, commit, target, bun: Bun.version, tables })}\n`;
}

/** The name of the newest migration, which is the version of a database's tables. */
const newestOf = ({ migrations }: Schema): string | null => migrations.at(-1)?.tag ?? null;
