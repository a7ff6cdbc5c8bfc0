import { readConfig } from "../config";
import { refuseIfUnreachable } from "../store/refused";
import { type Command, exitCodes, flagsIn, folderIn, UsageError } from "./command";

const passwordNote =
  "The command reads the password from a prompt or from standard input. If it is empty, the command " +
  "generates one and prints it.";

const ofRemote = [
  "SIGHTLINE_API_KEY is the API key of your account. --url <address> is the server, by default the one on this " +
    "machine.",
  "The exit code is 1 when the server refuses or the command fails, and 3 when the server cannot be reached.",
];

/** Every sub-command. The code of each is loaded when it runs. */
export const commands: readonly Command[] = [
  {
    name: "serve",
    calls: [
      ["serve", "start the server"],
      ["serve --standby", "wait, and start when no other server writes to its ClickHouse"],
      ["serve --check", "say what a start would change, and change nothing; with --json as JSON"],
    ],
    notes: [
      "On SIGTERM or SIGINT, the server first commits and answers all requests that it has read, then stops.",
    ],
    run: async (parameters) => {
      const flags = flagsIn(parameters, ["--standby", "--check", "--json"]);
      if (flags.has("--json") && !flags.has("--check")) {
        throw new UsageError("serve takes --json only together with --check.");
      }
      if (flags.has("--check")) {
        const { checkStart } = await import("./start-check");
        return checkStart(reachableConfig(), print, flags.has("--json"));
      }
      const { serve } = await import("../serve");
      return serve(reachableConfig(), flags.has("--standby"));
    },
  },
  {
    name: "health",
    calls: [
      ["health", "ask the running server whether it can store and read"],
      ["health --json", "print the answer as one JSON object"],
    ],
    notes: [
      "The command asks the server of DATA_DIR, or the one that listens on PORT. The exit code is 1 when the " +
        "server is not ready.",
    ],
    run: async (parameters) => {
      const isJson = flagsIn(parameters, ["--json"]).has("--json");
      return (await import("./health")).health(readConfig(), print, isJson);
    },
  },
  {
    name: "setup",
    calls: [["setup --email <email>", "create the first account and print its API key"]],
    notes: [passwordNote],
    run: async (parameters) => (await import("./setup")).setup(reachableConfig(), parameters),
  },
  {
    name: "password",
    calls: [
      ["password --email <email>", "set a new password for an account; the server may be running"],
    ],
    notes: [passwordNote, "The command logs out all browsers of the account."],
    run: async (parameters) => (await import("./password")).password(reachableConfig(), parameters),
  },
  {
    name: "invite",
    calls: [
      [
        "invite --email <email> --role <viewer, editor or admin>",
        "print a link that makes somebody a member; the server may be running",
      ],
      [
        "invite --email <email> --account <id> --json",
        "the same for one of several accounts, as JSON",
      ],
    ],
    notes: ["The link works once, for seven days. Without --role it makes a viewer."],
    run: async (parameters) =>
      (await import("./invite")).invite(reachableConfig(), parameters, print),
  },
  {
    name: "two-factor",
    calls: [
      [
        "two-factor --email <email> --off",
        "turn off the second factor of somebody who lost it; the server may be running",
      ],
    ],
    notes: ["--json prints the outcome as JSON. Without SMTP the person is not told."],
    run: async (parameters) =>
      (await import("./two-factor")).twoFactor(reachableConfig(), parameters, print),
  },
  {
    name: "reset-link",
    calls: [
      [
        "reset-link --email <email>",
        "print a link by which somebody sets a new password; the server may be running",
      ],
    ],
    notes: ["The link works once, for 24 hours. --json prints it as JSON."],
    run: async (parameters) =>
      (await import("./reset-link")).resetLink(reachableConfig(), parameters, print),
  },
  {
    name: "backup",
    calls: [["backup <folder>", "copy the databases to a new folder; the server may be running"]],
    notes: ["To restore, start a server with DATA_DIR set to the copy."],
    run: async (parameters) => {
      const folder = folderIn(parameters);
      const { clickHouse, dataDir } = reachableConfig();
      (await import("./backup")).backup(dataDir, folder);
      const { sentenceOfNotLookedAt } = await import("./not-looked-at");
      print(`Copied the databases to ${folder}. ${sentenceOfNotLookedAt(clickHouse !== null)}\n`);
      return exitCodes.done;
    },
  },
  {
    name: "export",
    calls: [
      ["export --project <name>", "download everything of a project from a server, as a file"],
      [
        "export --project <name> --out <file>",
        "the same into this file, packed by its ending (.gz, .zst); - is standard output",
      ],
    ],
    notes: [
      "--kind <kind> and --format <jsonl, csv or parquet> choose what the file has, --since <date> and --until " +
        "<date> the days.",
      ...ofRemote,
      "If a download breaks off, run the same command again. It continues a .jsonl file, and begins others again.",
    ],
    run: async (parameters) => (await import("./export/export")).exportCommand(parameters),
  },
  {
    name: "import",
    calls: [
      [
        "import <file> --project <name>",
        "send a file of another product, or of an export, and print what would be stored",
      ],
      ["import <file> --project <name> --commit", "store it, after a question"],
      ["import --list --project <name>", "list the imports of a project"],
      ["import --remove <imp_…>", "remove what an import stored"],
    ],
    notes: [
      "--kind <kind> names what the file is, --timezone <zone> the zone of its times. --overlap keep keeps rows that " +
        "are younger than the project's first own event, --older drop drops rows that are older than the project " +
        "keeps events. --yes leaves out the question, --json prints the import as JSON.",
      ...ofRemote,
      "If it breaks off, run the same command again: it continues.",
    ],
    run: async (parameters) => (await import("./import/import")).importCommand(parameters),
  },
  {
    name: "restore",
    calls: [
      [
        "restore <source> <new folder>",
        "write the newest state of a continuous backup to a folder",
      ],
      ["restore <source> --list", "list the moments that can be restored"],
      [
        "restore <source> --check",
        "read all objects of a moment and compare them, writing nothing",
      ],
    ],
    notes: [
      "The source is BACKUP_URL, or the path of a folder. BACKUP_KEY and BACKUP_S3_… must be as the server " +
        "has them. No server is needed.",
      "--at <time> takes the state at a moment, --line <line> that of one run of the server. --json prints JSON.",
      "The exit code is 1 when the command refuses, and 2 when an object is damaged or missing.",
    ],
    run: async (parameters) => (await import("./restore")).restore(parameters, print),
  },
  {
    name: "drill",
    calls: [
      [
        "drill",
        "try a restore: write the newest point to a temporary folder, compare and remove it",
      ],
    ],
    notes: [
      "The server does so by itself (BACKUP_DRILL). --json prints JSON. The exit code is 1 when the drill fails.",
    ],
    run: async (parameters) => {
      const isJson = flagsIn(parameters, ["--json"]).has("--json");
      return (await import("./drill")).drill(reachableConfig(), print, isJson);
    },
  },
  {
    name: "move",
    calls: [
      ["move --to clickhouse", "copy events and users to ClickHouse; the server may be running"],
      ["move --to file", "copy them back to the data folder"],
    ],
    notes: [
      "CLICKHOUSE_URL is the address of ClickHouse. To continue an interrupted move, run the command again.",
    ],
    run: async (parameters) => (await import("./move")).move(reachableConfig(), parameters, print),
  },
  {
    name: "clock",
    calls: [
      ["clock", "compare the clock with the data folder"],
      ["clock --accept", "confirm that the clock is right; the server may be running"],
    ],
    notes: [
      "If the clock differs by more than two days from the last use of the folder, the server deletes " +
        "nothing because of age and stores only events that have a time of their own, until you confirm the " +
        "clock.",
    ],
    run: async (parameters) => {
      const isAccepted = flagsIn(parameters, ["--accept"]).has("--accept");
      return (await import("./clock")).clockCommand(reachableConfig(), isAccepted, print);
    },
  },
  {
    name: "mail-test",
    calls: [
      ["mail-test --to <email>", "send a test mail with the settings of the environment"],
      ["mail-test --to <email> --json", "print the result as one JSON object"],
    ],
    notes: ["The command needs no running server. The exit code is 1 when the mail was refused."],
    run: async (parameters) =>
      (await import("./mail-trial")).mailTrial(readConfig(), parameters, print),
  },
  {
    name: "doctor",
    calls: [
      ["doctor", "check configuration, data folder and databases, without changing anything"],
      ["doctor --json", "print the results as one JSON object"],
    ],
    notes: ["The exit code is 1 when doctor finds a problem."],
    run: async (parameters) => {
      const isJson = flagsIn(parameters, ["--json"]).has("--json");
      return (await import("./doctor")).doctor(print, isJson);
    },
  },
  {
    name: "verify",
    calls: [["verify <folder>", "compare the files of a release with their signed sums"]],
    notes: [
      "--key <file> names the public key in place of the built-in one, --json prints one JSON object.",
    ],
    run: async (parameters) => (await import("./verify")).verifyRelease(parameters, print),
  },
  {
    name: "version",
    calls: [
      ["version", "print the version"],
      [
        "version --json",
        "print the versions of Sightline, Bun and the tables, the commit and the target as JSON",
      ],
    ],
    notes: [],
    run: async (parameters) => {
      const isJson = flagsIn(parameters, ["--json"]).has("--json");
      print((await import("./version")).versionText(isJson));
      return exitCodes.done;
    },
  },
];

/** Reads the configuration. Throws StorageRefused when this user has no rights to the data folder. */
function reachableConfig() {
  const config = readConfig();
  refuseIfUnreachable(config.dataDir);
  return config;
}

const print = (text: string): void => void process.stdout.write(text);
