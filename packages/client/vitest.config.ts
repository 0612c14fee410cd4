import { defineConfig } from "vitest/config";

const MAJORS = {
  6: { ai: "ai6", "@ai-sdk/react": "ai-sdk-react3" },
  7: { ai: "ai7" },
};

/** The same tests with the newest SDK of both majors. */
const projects = (name: string, test: object) =>
  Object.entries(MAJORS).map(([major, aliases]) => ({
    resolve: {
      alias: Object.entries(aliases).map(([from, replacement]) => ({
        find: new RegExp(`^${from}$`),
        replacement,
      })),
    },
    test: { name: `${name}${major}`, env: { AI_MAJOR: major }, testTimeout: 90_000, ...test },
  }));

export default defineConfig({
  test: {
    projects: [
      ...projects("ai", { include: ["src/**/*.test.{ts,tsx}"] }),
      ...projects("live", { include: ["e2e/*.test.ts"], globalSetup: "e2e/server.ts" }),
    ],
  },
});
