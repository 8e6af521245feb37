import { browser } from "@wxt-dev/browser";

/** A value that the browser keeps for the extension. */
export interface Kept<T> {
  get: () => Promise<T>;
  set: (value: T) => Promise<void>;
  /** Tells of each change, wherever it was made; returns what ends that. */
  watch: (told: (value: T) => void) => () => void;
}

/**
 * Names a value that the browser keeps on this machine.
 *
 * @param where `session` forgets it when the browser is closed, and never writes it to a disk.
 */
export function kept<T>(key: string, otherwise: T, where: "local" | "session" = "local"): Kept<T> {
  const area = browser.storage?.[where];
  return {
    get: async () => ((await area.get(key))[key] as T | undefined) ?? otherwise,
    set: (value) => (value === undefined ? area.remove(key) : area.set({ [key]: value })),
    watch: (told) => {
      const heard = (changes: Record<string, { newValue?: unknown }>) => {
        const change = changes[key];
        if (change) told((change.newValue as T | undefined) ?? otherwise);
      };
      area.onChanged.addListener(heard);
      return () => area.onChanged.removeListener(heard);
    },
  };
}

/** Keeps what is stored from scripts that run on pages, where the browser can. */
export async function closeStorage(): Promise<void> {
  await browser.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });
}
