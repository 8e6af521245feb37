import { en } from "./en/index.ts";

/** What the page says, in the language of its reader. */
export const say = en;
