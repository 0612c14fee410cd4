/** The frame of a spec file: one server and one browser for all of its stories. */
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { DemoServer } from "./server.js";
import { launch, TRANSPORTS, type Transport, Visit, type VisitOptions } from "./visit.js";

export type Story = {
  server: DemoServer;
  transport: Transport;
  open: (options?: VisitOptions) => Promise<Visit>;
};

export function stories(environment: Record<string, string> = {}) {
  let server: DemoServer;
  let browser: Browser;
  before(async () => {
    [server, browser] = await Promise.all([DemoServer.start(environment), launch()]);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const tell = (name: string, transport: Transport, story: (given: Story) => Promise<void>) =>
    test(`${name} (${transport})`, async () => {
      await server.start();
      const visits: Visit[] = [];
      const open = async (options: VisitOptions = {}) => {
        const visit = await Visit.open(browser, server.url, { transport, ...options });
        visits.push(visit);
        return visit;
      };
      try {
        await story({ server, transport, open });
      } catch (error) {
        await Promise.all(
          visits.map((visit, index) => visit.picture(`failed-${name}-${transport}-${index}`)),
        );
        throw error;
      } finally {
        await Promise.all(visits.map((visit) => visit.leave()));
      }
      for (const visit of visits) visit.assertFaultless();
    });

  return {
    /** Told once for each transport. */
    story: (name: string, body: (given: Story) => Promise<void>) => {
      for (const transport of chosen()) tell(name, transport, body);
    },
    /** Where the transport plays no part. */
    scene: (name: string, body: (given: Story) => Promise<void>) => tell(name, "sse", body),
  };
}

const chosen = (): readonly Transport[] =>
  TRANSPORTS.filter((name) => (process.env.TRANSPORTS ?? "sse,bidi").split(",").includes(name));
