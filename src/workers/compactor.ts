import { runCompactor } from "../store/events/threads/compactor-thread";

runCompactor();
