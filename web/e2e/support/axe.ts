import axe from "axe-core";
import type { Page } from "playwright-core";

type Results = { violations: { id: string; impact: string; nodes: { html: string }[] }[] };

/** What axe-core calls serious or critical, with the elements at fault. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Through the debugger's door: the page's own policy lets no such script in.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<Results>("axe.run(document)");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
