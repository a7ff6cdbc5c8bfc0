import { exports } from "../features/exports";
import { runExporter } from "../store/events/export/exporter-thread";

runExporter(exports);
