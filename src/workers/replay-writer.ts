import { runReplayWriter } from "../store/replays/writer-thread";

runReplayWriter();
