import { openFileRows } from "../ingest/imports/file-rows";
import { runImporter } from "../store/events/imports/importer-thread";

runImporter(openFileRows);
