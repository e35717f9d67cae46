import type { Channel, Database, InboundNumber, Models } from '@gangan/database';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import { masked } from '../messages/masked.js';
import { labelOf, type Organisation, withAccount } from '../organisations/find-organisation.js';
import { findProviderRow } from '../providers/stored-provider.js';
import { Refusal } from '../refusal.js';

/** A number at which an organisation receives messages. */
export type NumberKey = Pick<InboundNumber, 'channel' | 'number'>;

export interface NumberFilter {
  readonly organisationId?: string;
  readonly channel?: Channel;
}

export async function listNumbers(database: Database, where: NumberFilter) {
  const rows = await database.inboundNumber.findMany({
    where,
    include: withAccount,
    orderBy: [{ channel: 'asc' }, { number: 'asc' }],
  });
  return rows.map(({ channel, number, organisation, provider, createdAt }) => ({
    ...{ channel, number, organisation: labelOf(organisation) },
    ...{ provider: provider ?? 'any', assigned: createdAt },
  }));
}

/** @throws Refusal if it is not assigned */
export async function findNumber(models: Pick<Models, 'inboundNumber'>, key: NumberKey) {
  const where = { channel_number: key };
  const found = await models.inboundNumber.findUnique({ where, include: withAccount });
  if (found) return found;
  throw new Refusal('not_found', `The number ${key.number} (${key.channel}) is not assigned`, {
    next: 'list_numbers',
  });
}

/** @param provider takes messages to it only from this provider; null from any */
export const assignNumber = (
  access: Access,
  { id: organisationId, label }: Organisation,
  key: NumberKey,
  provider: string | null,
) =>
  change(access, 'numbers assign', async (models, log) => {
    if (provider !== null) await checkProvider(models, provider, key.channel, organisationId);
    const data = { ...key, organisationId, provider };
    const { count } = await models.inboundNumber.createMany({ data, skipDuplicates: true });
    const row = await findNumber(models, key);
    if (row.organisationId !== organisationId || row.provider !== provider) {
      const owner = `belongs to ${labelOf(row.organisation)}`;
      const source = row.provider === null ? '' : ` for messages of ${row.provider}`;
      throw new Refusal('conflict', `The number ${key.number} (${key.channel}) ${owner}${source}`, {
        next: 'unassign_number',
      });
    }
    if (count > 0) await log({ organisationId, target: label, after: audited(row) });
  });

/** Takes a number from its organisation, whose label it returns. */
export const unassignNumber = (access: Access, key: NumberKey): Promise<string> =>
  change(access, 'numbers unassign', async (models, log) => {
    const row = await findNumber(models, key);
    await models.inboundNumber.delete({ where: { channel_number: key } });
    const target = labelOf(row.organisation);
    const { organisationId, provider } = row;
    // Otherwise recipients would be taken for people who have not written.
    if (key.channel === 'whatsapp')
      await models.whatsAppReceiver.deleteMany({
        where: { organisationId, ...(provider !== null && { provider }) },
      });
    await log({ organisationId, target, before: audited(row) });
    return target;
  });

/** The audit log has no phone numbers: `+234…567`. */
const audited = ({ channel, number, provider }: InboundNumber) => ({
  channel,
  number: number.startsWith('+') ? masked(number) : number,
  provider,
});

async function checkProvider(
  models: Models,
  name: string,
  channel: Channel,
  organisationId: string,
): Promise<void> {
  const found = await findProviderRow(models, name);
  if (!found.channels.includes(channel))
    throw new Refusal('conflict', `The provider ${name} does not serve the channel ${channel}.`);
  if (found.organisationId !== null && found.organisationId !== organisationId)
    throw new Refusal('conflict', `The provider ${name} belongs to another organisation.`);
}
