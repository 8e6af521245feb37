import type { WhoAmI } from "@scops/api";
import { type ReactNode, useEffect, useRef } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { AskPlace } from "./ask/AskPlace.tsx";
import { ExplainPlace } from "./explain/ExplainPlace.tsx";
import { FirstMinute } from "./first/FirstMinute.tsx";
import { JobPlace, JobsPlace } from "./jobs/JobsPlace.tsx";
import { say } from "./messages/index.ts";
import { ProblemNotice } from "./messages/ProblemNotice.tsx";
import { partsFor } from "./operate/may.ts";
import { OperatePlace } from "./operate/OperatePlace.tsx";
import { PagePlace } from "./pages/PagePlace.tsx";
import { ResearchPlace } from "./research/ResearchPlace.tsx";
import { ChangesPlace } from "./scopes/changes/ChangesPlace.tsx";
import { ScopesPlace } from "./scopes/ScopesPlace.tsx";
import { StudioPlace } from "./scopes/studio/StudioPlace.tsx";
import { useScopes } from "./scopes/useScopes.ts";
import { KeyEnded } from "./session/KeyEnded.tsx";
import { PairPlace } from "./session/PairPlace.tsx";
import { SettingsPlace } from "./session/SettingsPlace.tsx";
import { SignIn } from "./session/SignIn.tsx";
import { isNobody, REFUSED, useCaller, useSession } from "./session/session.tsx";
import { Top } from "./Top.tsx";

/** The page: who asks, then the place that the address names. */
export function App() {
  const caller = useCaller();
  const { hasEnded } = useSession();
  const isRefused = caller.error?.status === REFUSED;
  if (isRefused || (caller.data && isNobody(caller.data))) {
    return (
      <Frame>
        <SignIn wasRefused={isRefused} />
      </Frame>
    );
  }
  if (caller.error) {
    return (
      <Frame>
        <div className="first">
          <h1 className="hidden">Scops</h1>
          <ProblemNotice
            problem={caller.error}
            action={
              <button type="button" className="button" onClick={() => caller.refetch()}>
                {say.again}
              </button>
            }
          />
        </div>
      </Frame>
    );
  }
  if (!caller.data) return <Frame>{null}</Frame>;
  return (
    <Frame caller={caller.data}>
      {hasEnded ? <KeyEnded principal={caller.data.principal ?? ""} /> : null}
      <Switch>
        <Route path="/" component={Home} />
        <Route path="/new" component={FirstMinute} />
        <Route path="/ask">
          <AskPlace />
        </Route>
        <Route path="/chats/:chat">
          {(params) => <AskPlace key={params.chat} chat={`chats/${params.chat}`} />}
        </Route>
        <Route path="/explain" component={ExplainPlace} />
        <Route path="/scopes" component={ScopesPlace} />
        <Route path="/scopes/:scope/changes">
          {(params) => <ChangesPlace scope={`scopes/${params.scope}`} />}
        </Route>
        <Route path="/scopes/:scope">
          {(params) => <StudioPlace key={params.scope} name={`scopes/${params.scope}`} />}
        </Route>
        <Route path="/pages/:page">{(params) => <PagePlace page={`pages/${params.page}`} />}</Route>
        <Route path="/jobs" component={JobsPlace} />
        <Route path="/jobs/:job">{(params) => <JobPlace name={`jobs/${params.job}`} />}</Route>
        <Route path="/researches/:research">
          {(params) => (
            <ResearchPlace key={params.research} name={`researches/${params.research}`} />
          )}
        </Route>
        <Route path="/operate">
          <OperatePlace caller={caller.data} />
        </Route>
        <Route path="/pair">
          <PairPlace caller={caller.data} />
        </Route>
        <Route path="/me">
          <SettingsPlace caller={caller.data} />
        </Route>
        <Route>
          <div className="page">
            <h1>{say.nothingHere}</h1>
          </div>
        </Route>
      </Switch>
    </Frame>
  );
}

/** Asks where there is something to ask, and begins where there is nothing. */
function Home() {
  const scopes = useScopes();
  if (!scopes.data) return null;
  return <Redirect to={scopes.data.length > 0 ? "/ask" : "/new"} replace />;
}

function Frame({ caller, children }: { caller?: WhoAmI; children: ReactNode }) {
  const main = useRef<HTMLElement>(null);
  const [path] = useLocation();
  const shown = useRef(path);
  const isReady = caller !== undefined;
  useEffect(() => {
    if (isReady) performance.mark("scops-ready");
  }, [isReady]);
  useEffect(() => {
    // A new place takes the focus, so that readers of the screen are told.
    if (shown.current !== path && shown.current !== "/") main.current?.focus();
    shown.current = path;
    const title = main.current?.querySelector("h1")?.textContent;
    document.title = title ? `${title} · Scops` : "Scops";
  }, [path]);
  return (
    <>
      <a className="skip" href="#main">
        {say.skip}
      </a>
      <Top caller={caller?.principal} operates={caller ? partsFor(caller).length > 0 : false} />
      <main id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
    </>
  );
}
