import { reads } from "../features/reads";
import { runReader } from "../store/events/read/reader-thread";

runReader(reads);
