import type { endings, kinds, told } from "./en/index.ts";

/** What the server tells by codes, as a language says it. */
export interface Words {
  locale: string;
  endings: typeof endings;
  kinds: typeof kinds;
  told: typeof told;
}
