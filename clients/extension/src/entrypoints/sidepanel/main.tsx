// First: it asks the browser for what the panel waits for.
import "../../server/begin.ts";
import "@scops/ui/styles.css";
import "../../panel.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { say } from "../../messages/index.ts";
import { Panel } from "../../Panel.tsx";
import { begun } from "../../server/begin.ts";

// What the panel begins with is read before it is drawn: nothing is shown that changes at once.
const server = await begun;
const asked = new URLSearchParams(location.search).get("q") ?? "";
const root = document.getElementById("root");
document.documentElement.lang = say.locale;
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Panel paired={server} asked={asked} />
    </StrictMode>,
  );
}
