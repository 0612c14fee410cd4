import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = process.env.ADK_STREAM_SERVER ?? "http://127.0.0.1:8000";

const client = fileURLToPath(new URL("../packages/client/src", import.meta.url));

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: [
      { find: /^@adk-stream-protocol\/client$/, replacement: `${client}/index.ts` },
      { find: /^@adk-stream-protocol\/client\/react$/, replacement: `${client}/react/index.ts` },
    ],
    // The client's source lies outside of this folder and finds its peers here.
    dedupe: ["ai", "react"],
  },
  build: {
    outDir: "../src/adk_stream_protocol/demo/page",
    emptyOutDir: true,
    // A data URL would need a wider Content-Security-Policy, the polyfill an inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    license: { fileName: "licenses.md" },
    cssTarget: ["chrome125", "firefox125", "safari17.5"],
    chunkSizeWarningLimit: 900,
  },
  server: {
    proxy: {
      "/api": server,
      "/healthz": server,
      "/live": { target: server, ws: true },
    },
  },
});
