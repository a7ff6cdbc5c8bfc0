import { openFileRows } from "../ingest/imports/file-rows";
import { countDay } from "../reads/day-rows";
import { runImporter } from "../store/events/imports/importer-thread";

runImporter({ openRows: openFileRows, countDay });
