import { databaseFiles } from "../commands/databases";
import { runChecker } from "../store/checker-thread";

runChecker(new Map(databaseFiles.map(({ name, schema }) => [name, schema])));
