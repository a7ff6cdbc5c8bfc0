import { runCompactor } from "../store/events/compact/compactor-thread";

runCompactor();
