import type { Channel } from '@gangan/contracts';
import type { RouteTarget } from '@gangan/providers';
import { invalid } from '../session/arguments.js';

/** Reads `termii:80,other:20` and `backup`: the position of a target is that of its argument. */
export function parseTargets(given: readonly string[]): RouteTarget[] {
  const targets = given.flatMap((group, position) =>
    group.split(',').map((part) => {
      const [, provider = '', weight = '1'] = /^([a-z][a-z0-9-]*)(?::(\d{1,4}))?$/.exec(part) ?? [];
      if (provider === '' || Number(weight) < 1 || Number(weight) > 1_000)
        return invalid(
          `"${part}" is not a provider, or a provider and a weight from 1 to 1000, as in termii:80.`,
        );
      return { provider, position, weight: Number(weight) };
    }),
  );
  const names = targets.map(({ provider }) => provider);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? targets : invalid(`${twice} is named twice.`);
}

/** Providers that are tried one after the other. */
export const targetsInOrder = (names: readonly string[]): RouteTarget[] =>
  names.map((provider, position) => ({ provider, position, weight: 1 }));

interface Target {
  readonly provider: string | { readonly name: string };
  readonly position: number;
  readonly weight: number;
}

/** `termii:80,other:20 then backup` */
export function formatTargets(targets: readonly Target[]): string {
  const positions = [...new Set(targets.map(({ position }) => position))].toSorted((a, b) => a - b);
  return positions
    .map((position) => {
      const group = targets.filter((target) => target.position === position);
      const nameOf = ({ provider }: Target): string =>
        typeof provider === 'string' ? provider : provider.name;
      return group
        .map((target) => `${nameOf(target)}${group.length === 1 ? '' : `:${target.weight}`}`)
        .join(',');
    })
    .join(' then ');
}

/** Whether two routes lead to the same providers; the order of targets with the same position does not matter. */
export const haveSameTargets = (one: readonly RouteTarget[], other: readonly RouteTarget[]): boolean => {
  const texts = [one, other].map((targets) =>
    targets.map(({ provider, position, weight }) => `${position} ${provider} ${weight}`).toSorted(),
  );
  return texts[0]?.join() === texts[1]?.join();
};

/** Why a route cannot use a provider; `undefined` if it can. */
export function targetFault(
  provider: { readonly organisationId: string | null; readonly channels: readonly Channel[] },
  route: { readonly organisationId: string | null; readonly channel: Channel },
): string | undefined {
  if (!provider.channels.includes(route.channel)) return `has no channel ${route.channel}`;
  return provider.organisationId === null || provider.organisationId === route.organisationId
    ? undefined
    : 'belongs to an organisation, which the route must name';
}
