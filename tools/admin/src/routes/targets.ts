import type { RouteTarget } from '@gangan/providers';
import { invalid } from '../session/arguments.js';

/** Reads `termii:80,other:20` and `backup`: the position of a target is that of its argument. */
export function parseTargets(
  given: readonly string[],
  report: (fault: string) => unknown = invalid,
): RouteTarget[] {
  const targets = given.flatMap((group, position) =>
    group.split(',').map((part) => {
      const [, provider = '', weight = '1'] = /^([a-z][a-z0-9-]*)(?::(\d{1,4}))?$/.exec(part) ?? [];
      if (provider === '' || Number(weight) < 1 || Number(weight) > 1_000)
        report(`"${part}" is not a provider, or a provider and a weight from 1 to 1000, as in termii:80.`);
      return { provider, position, weight: Number(weight) };
    }),
  );
  const names = targets.map(({ provider }) => provider);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) report(`${twice} is named twice.`);
  return targets;
}
