import { reads } from "../features/reads";
import { runReader } from "../store/events/threads/reader-thread";

runReader(reads);
