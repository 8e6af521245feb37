import { type Api, type Problem, read, type WhoAmI } from "@scops/api";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { type CurrentTab, currentTab, watchTabs } from "../page/tab.ts";
import { useAsked } from "./asked.ts";
import { connectTo, type Server } from "./server.ts";

interface PanelValue {
  server: Server;
  api: Api;
  caller: WhoAmI | undefined;
  problem: Problem | undefined;
  again: () => void;
  tab: CurrentTab | undefined;
}

const PanelContext = createContext<PanelValue | undefined>(undefined);

/** What every part of the panel knows: the server, who asks, and the page that one is on. */
export function PanelProvider({ server, children }: { server: Server; children: ReactNode }) {
  const api = useMemo(() => connectTo(server), [server]);
  const caller = useAsked(`${server.url} ${server.key}`, (signal) =>
    read(api.GET("/v1/me", { signal })),
  );
  const [tab, setTab] = useState<CurrentTab>();
  useEffect(() => {
    const look = () => void currentTab().then((found) => setTab((now) => same(now, found)));
    look();
    return watchTabs(look);
  }, []);
  const { data, problem, again } = caller;
  const value = useMemo(
    () => ({ server, api, caller: data, problem, again, tab }),
    [server, api, data, problem, again, tab],
  );
  return <PanelContext value={value}>{children}</PanelContext>;
}

export function usePanel(): PanelValue {
  const value = useContext(PanelContext);
  if (!value) throw new Error("PanelProvider is missing");
  return value;
}

function same(now: CurrentTab | undefined, found: CurrentTab | undefined) {
  return JSON.stringify(now) === JSON.stringify(found) ? now : found;
}
