import { Mark } from "@scops/ui";
import { lazy, Suspense, useEffect, useState } from "react";
import { PageCard } from "./card/PageCard.tsx";
import { say } from "./messages/index.ts";
import { ProblemNotice } from "./messages/ProblemNotice.tsx";
import { Pair } from "./server/Pair.tsx";
import { PanelProvider, usePanel } from "./server/panel.tsx";
import { pairedServer, type Server } from "./server/server.ts";

// What the panel does not begin with is read when it is first shown.
const AskPart = lazy(() =>
  import("./ask/AskPart.tsx").then(({ AskPart }) => ({ default: AskPart })),
);
const SettingsPart = lazy(() =>
  import("./settings/SettingsPart.tsx").then(({ SettingsPart }) => ({ default: SettingsPart })),
);

type Part = "page" | "ask" | "settings";

const REFUSED = 401;

/** The side panel: who one is paired with, then its parts. */
export function Panel({ paired, asked }: { paired: Server | undefined; asked: string }) {
  const [server, setServer] = useState(paired);
  useEffect(() => pairedServer.watch(setServer), []);
  useEffect(() => {
    // From here on it can be pressed: a test holds it to 300 ms.
    performance.mark("scops-ready");
  }, []);
  if (!server) {
    return (
      <main className="panel">
        <Pair />
      </main>
    );
  }
  return (
    <PanelProvider server={server} key={`${server.url} ${server.key}`}>
      <Parts asked={asked} />
    </PanelProvider>
  );
}

function Parts({ asked }: { asked: string }) {
  const { server, caller, problem, again } = usePanel();
  const [part, setPart] = useState<Part>(asked ? "ask" : "page");
  const [hasAsked, setAsked] = useState(part === "ask");
  const [scopes, setScopes] = useState<string[]>([]);
  const show = (next: Part) => {
    setPart(next);
    if (next === "ask") setAsked(true);
  };
  const hasEnded =
    problem?.status === REFUSED || (caller && caller.credential === "CREDENTIAL_KIND_NONE");
  const state = hasEnded ? say.notPaired : problem ? say.offline : say.connected;
  return (
    <div className="panel">
      <header className="panel-top">
        <Mark />
        <span className="state" data-state={problem || hasEnded ? "superseded" : "current"}>
          {state}
        </span>
        <nav className="panel-places" aria-label={say.places}>
          {(["page", "ask", "settings"] as const).map((one) => (
            <button
              type="button"
              key={one}
              aria-current={one === part ? "page" : undefined}
              onClick={() => show(one)}
            >
              {say[one]}
            </button>
          ))}
        </nav>
      </header>
      <main>
        {hasEnded ? <Pair before={server.url} /> : null}
        {problem && !hasEnded ? (
          <div className="panel-body">
            <ProblemNotice
              problem={problem}
              action={
                <button type="button" className="button" data-size="small" onClick={again}>
                  {say.again}
                </button>
              }
            />
          </div>
        ) : null}
        {hasEnded ? null : (
          <Suspense fallback={<p className="panel-body quiet">{say.loading}</p>}>
            {part === "page" && !problem ? (
              <PageCard
                onAsk={(names) => {
                  setScopes(names);
                  show("ask");
                }}
              />
            ) : null}
            {/* An answer stays while one looks at the page. */}
            {hasAsked ? (
              <div hidden={part !== "ask"}>
                <AskPart asked={asked} scopes={scopes} isShown={part === "ask"} />
              </div>
            ) : null}
            {part === "settings" ? <SettingsPart /> : null}
          </Suspense>
        )}
      </main>
    </div>
  );
}
