import type { Registry } from 'prom-client';

/** The metrics of several registries as one text. It has each name once, as the format requires, with the series of all. */
export async function printMetrics(registries: readonly Registry[]): Promise<string> {
  const all = registries.flatMap((registry) =>
    registry.getMetricsAsArray().map(async ({ name }) => {
      const [help = '', type = '', ...series] = (await registry.getSingleMetricAsString(name)).split('\n');
      return { name, head: [help, type], series };
    }),
  );
  const blocks = new Map<string, string[]>();
  for (const { name, head, series } of await Promise.all(all)) {
    const block = blocks.get(name);
    if (block) block.push(...series);
    else blocks.set(name, [...head, ...series]);
  }
  return `${[...blocks.values()].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
