import { runSiteReader } from "../features/website-scans/reader-thread";

runSiteReader();
