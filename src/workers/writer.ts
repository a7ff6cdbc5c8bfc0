import { runWriter } from "../store/events/threads/writer-thread";

runWriter();
