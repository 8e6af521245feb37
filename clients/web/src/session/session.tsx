import { type Api, connect, type Problem, read, type WhoAmI } from "@scops/api";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";

const KEY = "scops.key";
/** Reasons of a call whose credential does not count. */
export const REFUSED = 401;

interface Session {
  api: Api;
  hasKey: boolean;
  enter: (key: string) => void;
  leave: () => void;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** Who asks: by a key that this tab keeps, or as nobody where the installation lets in everybody. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [key, setKey] = useState(() => sessionStorage.getItem(KEY) ?? "");
  const queries = useQueryClient();
  const session = useMemo<Session>(
    () => ({
      api: connect(key),
      hasKey: key !== "",
      enter: (given) => {
        sessionStorage.setItem(KEY, given);
        setKey(given);
        queries.clear();
      },
      leave: () => {
        sessionStorage.removeItem(KEY);
        setKey("");
        queries.clear();
      },
    }),
    [key, queries],
  );
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("SessionProvider is missing");
  return session;
}

/** Returns who asks, as the gateway says. */
export function useCaller() {
  const { api, hasKey } = useSession();
  return useQuery<WhoAmI, Problem>({
    queryKey: ["me", hasKey],
    queryFn: ({ signal }) => read(api.GET("/v1/me", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function isNobody(caller: WhoAmI): boolean {
  return caller.credential === "CREDENTIAL_KIND_NONE";
}

export function isLocal(caller: WhoAmI): boolean {
  return caller.credential === "CREDENTIAL_KIND_LOCAL";
}
