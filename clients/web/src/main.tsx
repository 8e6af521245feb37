import "@scops/ui/styles.css";
import { Problem } from "@scops/api";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.tsx";
import { say } from "./messages/index.ts";
import { SessionProvider } from "./session/session.tsx";

const RETRIES_MAX = 2;
const REPEATABLE = new Set([0, 429, 503]);

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) =>
        failures < RETRIES_MAX && error instanceof Problem && REPEATABLE.has(error.status),
      staleTime: 5_000,
    },
  },
});

document.documentElement.lang = say.locale;
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <SessionProvider>
          <App />
        </SessionProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
