import { work } from '@gangan/protocol';
import { Counter, type Registry } from 'prom-client';

/** Counts the work of a process: a metric that rises faster than that of requests shows a costly kind of request. */
export function measureWork(registry: Registry): void {
  const counter = (name: string, help: string, count: keyof typeof work): void => {
    const created = new Counter({
      name,
      help,
      registers: [registry],
      collect: () => {
        created.reset();
        created.inc(work[count]);
      },
    });
  };
  counter(
    'gangan_phone_numbers_parsed_total',
    'Texts that were parsed to read phone numbers',
    'phonesParsed',
  );
  counter(
    'gangan_names_compared_total',
    'Pairs of a misspelt and a known name that were compared',
    'namesCompared',
  );
  counter('gangan_routes_visited_total', 'Routes that were compared with unknown paths', 'routesVisited');
}
