import { en } from "./en.ts";

/** What the page says, in the language of its reader. */
export const say = en;
