import { callbackRuleError } from '@gangan/contracts';
import type { Database } from '@gangan/database';
import { parseUrl } from '@gangan/protocol';
import type { Command } from 'commander';
import { setRule } from '@gangan/management';
import { addCommand, type AdminSession } from '../session/session.js';

export function addRestrictCommands(group: Command, session: AdminSession): void {
  const restriction =
    'send callbacks of an organisation to https URLs only, in production, and never to ports that browsers block';
  addCommand(
    group,
    'restrict <organisation>',
    restriction,
    undefined,
    'Callbacks of new live organisations are restricted. Requests with another URL get 400; callbacks that were accepted before fail with `refused_url`. Gateways follow within 5 s.',
  ).action(async (given: string) => {
    const { database, ...organisation } = await session.organisation(given);
    const refused = await refusedEndpoints(database, organisation.id);
    if (refused.length > 0)
      await session.confirm(
        `These endpoints of ${organisation.label} would get nothing until their URLs are changed: ${refused.join(', ')}. Continue?`,
      );
    await setRule(await session.access(), organisation, 'restrictedCallbacks', true);
    const row = { organisation: organisation.id, restricted_callbacks: true };
    session.done(`Callbacks of ${organisation.label} are restricted.`, row);
  });

  addCommand(group, 'free <organisation>', 'send callbacks of an organisation to any public URL').action(
    async (given: string) => {
      const organisation = await session.organisation(given);
      await setRule(await session.access(), organisation, 'restrictedCallbacks', false);
      const row = { organisation: organisation.id, restricted_callbacks: false };
      session.done(`Callbacks of ${organisation.label} may go to any public URL.`, row);
    },
  );
}

/** Why restricted callbacks could not go there in production, as the end of a sentence. */
export function refusalOf(url: string): string | undefined {
  const target = parseUrl(url);
  return target && callbackRuleError(target, { requiresHttps: true });
}

async function refusedEndpoints(database: Database, organisationId: string): Promise<string[]> {
  const where = { organisationId, enabled: true };
  const endpoints = await database.callbackEndpoint.findMany({ where, orderBy: { id: 'asc' } });
  return endpoints.filter(({ url }) => refusalOf(url) !== undefined).map(({ id, url }) => `${url} (${id})`);
}
