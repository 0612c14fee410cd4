import { config } from "zod/v4/core";

// zod compiles its checks with `new Function`, which this page's Content-Security-Policy forbids. It
// decides that when a schema is made, so this module is imported before all others.
config({ jitless: true });
