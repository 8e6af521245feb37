import { defineConfig } from "wxt";

// Nothing is loaded from elsewhere, nothing is inline, and no string becomes markup or a script.
// Servers are reached by TLS, or on this machine.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src https: http://127.0.0.1:* http://localhost:*",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
const ICONS = { 16: "icon/16.png", 32: "icon/32.png", 48: "icon/48.png", 128: "icon/128.png" };

declare const process: { env: Record<string, string | undefined> };

export default defineConfig({
  // Tests build beside what a person has loaded into their browser.
  outDir: process.env.EXTENSION_OUT ?? ".output",
  srcDir: "src",
  publicDir: "public",
  imports: false,
  manifestVersion: 3,
  manifest: ({ browser }) => ({
    name: "Scops",
    description: "__MSG_description__",
    default_locale: "en",
    icons: ICONS,
    // The rest is asked for when it is needed: the server, a page, the addresses of tabs.
    permissions: ["activeTab", "scripting", "storage"],
    optional_permissions: ["tabs"],
    optional_host_permissions: ["https://*/*", "http://*/*"],
    action: { default_title: "__MSG_open__", default_icon: ICONS },
    omnibox: { keyword: "scops" },
    commands: { _execute_action: { suggested_key: { default: "Alt+Shift+S" } } },
    incognito: "not_allowed",
    content_security_policy: { extension_pages: POLICY },
    ...(browser === "firefox"
      ? {
          browser_specific_settings: {
            gecko: {
              id: "extension@scops.invalid",
              strict_min_version: "140.0",
              data_collection_permissions: {
                required: ["none"],
                optional: ["browsingActivity", "websiteContent"],
              },
            },
          },
        }
      : { minimum_chrome_version: "123" }),
  }),
  zip: {
    artifactTemplate: "scops-extension-{{browser}}-{{version}}.zip",
    zipSources: false,
  },
  vite: () => ({
    build: {
      target: "es2023",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      license: { fileName: "licences.md" },
      rolldownOptions: {
        // "use client" says nothing where everything is.
        onLog: (level, log, report) => {
          if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
        },
      },
    },
  }),
});
