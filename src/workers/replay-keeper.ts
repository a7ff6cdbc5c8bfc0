import { runReplayKeeper } from "../store/replays/keeper-thread";

runReplayKeeper();
