import { pairedServer } from "./server.ts";

/**
 * The server that this browser is paired with, asked for before anything else of the panel runs.
 *
 * The browser reads it while the panel's own modules are made ready.
 */
export const begun = pairedServer.get();
