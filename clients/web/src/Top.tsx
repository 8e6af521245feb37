import { Mark } from "@scops/ui";
import {
  Activity,
  Contrast,
  Keyboard,
  Layers,
  MessageSquare,
  Plus,
  Settings,
  SlidersHorizontal,
} from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { isTyping } from "./keys.ts";
import { say } from "./messages/index.ts";

/** Shown to whoever it is for. */
const OPERATE = "/operate";
const PLACES = [
  { to: "/ask", label: say.ask, icon: MessageSquare },
  { to: "/scopes", label: say.scopes, icon: Layers },
  { to: "/jobs", label: say.jobs, icon: Activity },
  { to: OPERATE, label: say.operating, icon: SlidersHorizontal },
  { to: "/new", label: say.add, icon: Plus },
];
const THEME = "scops.theme";

/** The bar at the top; on phones the places stand at the bottom. */
export function Top({ caller, operates }: { caller?: string | undefined; operates: boolean }) {
  const [path] = useLocation();
  return (
    <header className="top">
      <Link className="brand" href="/">
        <Mark />
        <span>Scops</span>
      </Link>
      {caller ? (
        <nav className="places" aria-label={say.places}>
          {PLACES.filter((place) => operates || place.to !== OPERATE).map(
            ({ to, label, icon: Icon }) => (
              <Link key={to} href={to} aria-current={isAt(path, to) ? "page" : undefined}>
                <Icon className="icon" aria-hidden="true" />
                <span>{label}</span>
              </Link>
            ),
          )}
        </nav>
      ) : null}
      <div className="top-end">
        {caller ? (
          <span className="who quiet small">{caller === "local" ? say.local : caller}</span>
        ) : null}
        <Theme />
        <Keys />
        {caller ? (
          <Link className="icon-button" href="/me" aria-label={say.settings.title}>
            <Settings className="icon" aria-hidden="true" />
          </Link>
        ) : null}
      </div>
    </header>
  );
}

/** Chats are where one asks. */
function isAt(path: string, place: string): boolean {
  return path.startsWith(place) || (place === "/ask" && path.startsWith("/chats/"));
}

function Theme() {
  const [isDark, setDark] = useState(() => {
    const kept = localStorage.getItem(THEME);
    return kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  });
  useEffect(() => {
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
  }, [isDark]);
  const turn = () => {
    localStorage.setItem(THEME, isDark ? "light" : "dark");
    setDark(!isDark);
  };
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={say.darkColours}
      aria-pressed={isDark}
      onClick={turn}
    >
      <Contrast className="icon" aria-hidden="true" />
    </button>
  );
}

function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key === "?" && !isTyping(event)) dialog.current?.showModal();
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
  return (
    <>
      <button
        type="button"
        className="icon-button wide-only"
        aria-label={say.keys}
        aria-keyshortcuts="Shift+?"
        onClick={() => dialog.current?.showModal()}
      >
        <Keyboard className="icon" aria-hidden="true" />
      </button>
      <dialog ref={dialog} aria-labelledby="keys-title">
        <h2 id="keys-title">{say.keys}</h2>
        <dl className="keys">
          {say.keyRows.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit" className="button">
            {say.close}
          </button>
        </form>
      </dialog>
    </>
  );
}
