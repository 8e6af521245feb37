import { defineConfig } from "vite";

// What is built lies in the wheel, under names that stay: the gateway tags each by its content.
export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  base: "/",
  build: {
    outDir: "../../gateway/scops/gateway/web",
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    license: { fileName: "licences.md" },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // "use client" says nothing where everything is.
      onLog: (level, log, report) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
});
