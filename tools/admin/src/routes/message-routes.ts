import { newId } from '@gangan/protocol';
import { CommandError } from '../session/errors.js';
import { withAccount } from '@gangan/management';
import type { MessageConditions, StoredRoutes } from './route-store.js';
import { formatTargets, targetFault } from './targets.js';

export const withTargets = {
  ...withAccount,
  targets: { include: { provider: true }, orderBy: { position: 'asc' } },
} as const;

/** The conditions in words, such as `otp sms to NG of any organisation`. */
export function describeMessages(
  { organisationId, channel, category, operator, prefix, country }: MessageConditions,
  organisation = '',
): string {
  const to = [operator, prefix, country].filter((condition) => condition !== null);
  return [
    ...(category === null ? [] : [category]),
    channel,
    ...(to.length === 0 ? [] : [`to ${to.join(' ')}`]),
    organisationId === null ? 'of any organisation' : `of ${organisation}`,
  ].join(' ');
}

/** The routes of messages and OTPs. */
export const messageRoutes: StoredRoutes<MessageConditions> = {
  find: async (models, where) => {
    const row = await models.route.findFirst({ where, include: withTargets });
    return row?.targets.map(({ provider: { name: provider }, position, weight }) => ({
      provider,
      position,
      weight,
    }));
  },
  check: async (models, targets, conditions) => {
    const rows = await models.provider.findMany();
    const faults: string[] = [];
    const found = targets.flatMap(({ provider, position, weight }) => {
      const row = rows.find(({ name }) => name === provider);
      const fault = row && targetFault(row, conditions);
      if (!row) faults.push(`there is no provider ${provider}`);
      else if (fault !== undefined) faults.push(`${provider} ${fault}`);
      return row ? [{ providerId: row.id, position, weight }] : [];
    });
    if (faults.length > 0) throw new CommandError(`The route cannot be used: ${faults.join('; ')}.`);
    return found;
  },
  store: async (models, where, targets) => {
    if (targets.length === 0) return models.route.deleteMany({ where });
    const before = await models.route.findFirst({ where, select: { id: true } });
    const routeId = before?.id ?? newId();
    if (before) await models.routeTarget.deleteMany({ where: { routeId } });
    else await models.route.create({ data: { id: routeId, ...where } });
    return models.routeTarget.createMany({ data: targets.map((target) => ({ routeId, ...target })) });
  },
  audited: formatTargets,
};
