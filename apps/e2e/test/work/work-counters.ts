import type { ReachableSystem } from '@gangan/testing';
import { metricsUrlOf } from '../support/metrics-of.js';

const metrics = {
  /** Texts that were parsed to read phone numbers. */
  parsed: 'gangan_phone_numbers_parsed_total',
  /** Pairs of names that were compared. */
  names: 'gangan_names_compared_total',
  /** Routes that were compared with a path. */
  routes: 'gangan_routes_visited_total',
};

export type Work = Readonly<Record<keyof typeof metrics, number>>;

const kinds = Object.keys(metrics) as (keyof Work)[];

/** The counters of all processes of a system that nothing else uses. */
export class WorkCounters {
  private last: Work | undefined;
  private urls: readonly string[] | undefined;

  constructor(private readonly system: () => ReachableSystem) {}

  /** What `run` costs, with all that was done since the last call: no work is missed, even if it ends late. */
  async of(run: () => Promise<unknown>): Promise<Work> {
    const { last: before } = this;
    if (!before) throw new Error('The counters have not been started');
    await run();
    const after = await this.read();
    this.last = after;
    return mapKinds((kind) => after[kind] - before[kind]);
  }

  /** Leaves out what was done until now. */
  async restart(): Promise<void> {
    this.last = await this.read();
  }

  private async read(): Promise<Work> {
    const apps = Object.keys(this.system().apps());
    this.urls ??= await Promise.all(apps.map((app) => metricsUrlOf(this.system(), app)));
    const all = await Promise.all(this.urls.map(async (url) => (await fetch(url)).text()));
    return mapKinds((kind) => all.reduce((sum, text) => sum + valueIn(text, metrics[kind]), 0));
  }
}

const mapKinds = (value: (kind: keyof Work) => number): Work =>
  Object.fromEntries(kinds.map((kind) => [kind, value(kind)])) as unknown as Work;

function valueIn(text: string, metric: string): number {
  const value = new RegExp(`^${metric}\\{[^}]*\\} (\\d+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`The metrics have no ${metric}`);
  return Number(value);
}
