import { readConfig } from "../config";
import { refuseIfUnreachable } from "../store/refused";
import { type Command, exitCodes, flagsIn, folderIn } from "./command";

const passwordNote =
  "The password comes from a prompt or from standard input. When that is empty, one is made and printed.";

/** Every sub-command. The code of each is loaded when it runs. */
export const commands: readonly Command[] = [
  {
    name: "serve",
    calls: [
      ["serve", "start the server"],
      ["serve --standby", "start it once no other server writes to its ClickHouse"],
    ],
    notes: [
      "SIGTERM or SIGINT stops the server after it has committed and answered all requests that it has read.",
    ],
    run: async (parameters) => {
      const flags = flagsIn(parameters, ["--standby"]);
      const { serve } = await import("../serve");
      return serve(reachableConfig(), flags.has("--standby"));
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
      ["password --email <email>", "give an account a new password, beside a running server"],
    ],
    notes: [passwordNote, "The browsers of the account are logged out."],
    run: async (parameters) => (await import("./password")).password(reachableConfig(), parameters),
  },
  {
    name: "backup",
    calls: [["backup <folder>", "copy the databases into a new folder, beside a running server"]],
    notes: ["To restore, start a server with the copy as DATA_DIR."],
    run: async (parameters) => {
      const folder = folderIn(parameters);
      const { clickHouse, dataDir } = reachableConfig();
      (await import("./backup")).backup(dataDir, folder);
      const { sentenceOfNotLookedAt } = await import("./not-looked-at");
      print(
        `The databases were copied to ${folder}. ${sentenceOfNotLookedAt(clickHouse !== null)}\n`,
      );
      return exitCodes.done;
    },
  },
  {
    name: "move",
    calls: [
      ["move --to clickhouse", "copy events and people to ClickHouse, beside a running server"],
      ["move --to file", "copy them back into the data folder"],
    ],
    notes: [
      "CLICKHOUSE_URL names the ClickHouse. A move that was interrupted continues when it is run again.",
    ],
    run: async (parameters) => (await import("./move")).move(reachableConfig(), parameters, print),
  },
  {
    name: "clock",
    calls: [
      ["clock", "compare the clock with the data folder"],
      ["clock --accept", "confirm that the clock is right, beside a running server"],
    ],
    notes: [
      "While the clock is more than two days away from the last use of the folder, and nobody has confirmed it, " +
        "nothing is deleted because of its age, and only events that carry their own time are stored.",
    ],
    run: async (parameters) => {
      const isAccepted = flagsIn(parameters, ["--accept"]).has("--accept");
      return (await import("./clock")).clockCommand(reachableConfig(), isAccepted, print);
    },
  },
  {
    name: "doctor",
    calls: [
      ["doctor", "check configuration, data folder and databases; change nothing"],
      ["doctor --json", "print the same as one JSON object"],
    ],
    notes: ["The exit code is 1 when something needs a hand."],
    run: async (parameters) => {
      const isJson = flagsIn(parameters, ["--json"]).has("--json");
      return (await import("./doctor")).doctor(print, isJson);
    },
  },
  {
    name: "version",
    calls: [
      ["version", "print the version"],
      ["version --json", "print version, commit, target, Bun and versions of the tables as JSON"],
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
