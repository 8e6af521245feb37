import { type Api, connect, type Problem, read, type WhoAmI } from "@scops/api";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";

const KEY = "scops.key";
/** Reasons of a call whose credential does not count. */
export const REFUSED = 401;

interface Session {
  api: Api;
  hasKey: boolean;
  /** A call was refused with the key of this tab. */
  hasEnded: boolean;
  enter: (key: string) => void;
  /** Takes another key of the same caller: what is shown stays. */
  renew: (key: string) => void;
  /** Goes on with the key as it is. */
  keep: () => void;
  leave: () => void;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** Who asks: by a key that this tab keeps, or as nobody where the installation lets in everybody. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [key, setKey] = useState(() => sessionStorage.getItem(KEY) ?? "");
  const [hasEnded, setEnded] = useState(false);
  const queries = useQueryClient();
  const api = useMemo(() => {
    const made = connect(key);
    made.use({
      onResponse: ({ response }) => {
        if (key && response.status === REFUSED) setEnded(true);
      },
    });
    return made;
  }, [key]);
  const session = useMemo<Session>(
    () => ({
      api,
      hasKey: key !== "",
      hasEnded,
      enter: (given) => {
        sessionStorage.setItem(KEY, given);
        setKey(given);
        setEnded(false);
        queries.clear();
      },
      renew: (given) => {
        sessionStorage.setItem(KEY, given);
        setKey(given);
        setEnded(false);
      },
      keep: () => setEnded(false),
      leave: () => {
        sessionStorage.removeItem(KEY);
        setKey("");
        setEnded(false);
        queries.clear();
      },
    }),
    [api, key, hasEnded, queries],
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
