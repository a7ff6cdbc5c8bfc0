import { ConfigError, readConfig } from "./config";
import { StorageRefused } from "./store/migrate";
import { makeFilesPrivate } from "./store/private-files";
import { version } from "./version";

const help = `Sightline ${version}: self-hosted web analytics.

  sightline serve                     start the server (the default)
  sightline serve --standby           the same once no other server writes to its ClickHouse
  sightline setup --email <email>     create the first account and print its API key
  sightline password --email <email>  give an account a new password, beside a running server
  sightline backup <folder>           copy the databases into a new folder, beside a running server
  sightline move --to clickhouse      copy events and people to ClickHouse, beside a running server
  sightline move --to file            copy them back into the data folder
  sightline doctor                    check configuration, data folder and databases
  sightline version                   print the version
  sightline help                      print this

Settings are environment variables; the README has the table.
`;

/** Runs a sub-command, and resolves with the exit code. */
type Command = (parameters: readonly string[]) => Promise<number>;

/** Each is loaded only when it is asked for. */
const commands = new Map<string, Command>([
  [
    "serve",
    async (parameters) => {
      const [first, ...more] = parameters;
      if ((first ?? "--standby") !== "--standby" || more.length > 0)
        throw new ConfigError(
          "serve takes --standby and nothing else: settings are environment variables.",
        );
      return (await import("./serve")).serve(readConfig(), first !== undefined);
    },
  ],
  [
    "setup",
    async (parameters) => (await import("./commands/setup")).setup(readConfig(), parameters),
  ],
  [
    "password",
    async (parameters) => (await import("./commands/password")).password(readConfig(), parameters),
  ],
  [
    "backup",
    async ([folder, ...more]) => {
      if (folder === undefined || folder.startsWith("-") || more.length > 0)
        throw new ConfigError("Name one folder to copy to: sightline backup <folder>.");
      (await import("./commands/backup")).backup(readConfig().dataDir, folder);
      print(`The databases were copied to ${folder}.\n`);
      return 0;
    },
  ],
  [
    "move",
    async (parameters) => (await import("./commands/move")).move(readConfig(), parameters, print),
  ],
  ["doctor", async () => (await import("./commands/doctor")).doctor(print)],
  ["version", async () => print(`${version}\n`)],
  ["help", async () => print(help)],
]);
const takesParameters: ReadonlySet<string> = new Set([
  "serve",
  "setup",
  "move",
  "password",
  "backup",
]);
const aliases: ReadonlyMap<string, string> = new Map([
  ["--version", "version"],
  ["-v", "version"],
  ["--help", "help"],
  ["-h", "help"],
]);

makeFilesPrivate();
process.exit(await run(process.argv.slice(2)));

async function run([name = "serve", ...parameters]: readonly string[]): Promise<number> {
  const command = commands.get(aliases.get(name) ?? name);
  if (command === undefined) {
    process.stderr.write(`There is no command "${name}".\n\n${help}`);
    return 1;
  }
  if (parameters.some((one) => aliases.get(one) === "help")) return print(help);
  if (parameters.length > 0 && !takesParameters.has(name)) {
    process.stderr.write(`${name} takes no parameters: settings are environment variables.\n`);
    return 1;
  }
  try {
    return await command(parameters);
  } catch (error) {
    // These are meant for the person at the terminal; anything else is a fault and keeps its stack. It is not thrown
    // on: serve listens to uncaught exceptions, and then nobody would be left to say 1.
    const isForPeople = error instanceof ConfigError || error instanceof StorageRefused;
    process.stderr.write(`${isForPeople ? error.message : Bun.inspect(error)}\n`);
    return 1;
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
