import { runWriter } from "../store/events/writer/writer-thread";

runWriter();
