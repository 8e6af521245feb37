import { defineUnlistedScript } from "wxt/utils/define-unlisted-script";
import { copied } from "../page/capturing.ts";
import { mark, shown, unmark } from "../page/marking.ts";

/** What the panel asks of a page that it was let see; it lives in a world of its own there. */
export default defineUnlistedScript(() => {
  Object.assign(globalThis, { scopsPage: { copied, mark, shown, unmark } });
});
