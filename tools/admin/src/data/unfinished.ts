import { findOrganisation, type Scope, unfinishedWork } from '@gangan/management';
import { CommandError } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';

/** Organisations, and items of each, that are printed. */
const maxListed = { organisations: 20, items: 5 };

const advice: Readonly<Record<string, string>> = {
  message: `Messages under way end within DELIVERY_VALIDITY. Those that are paused or scheduled stay until they are sent: cancel them with POST /sms/{id}/cancel.`,
  'airtime purchase': `Purchases that are not settled: pnpm admin airtime resolve.`,
};

/** Prints what is not final, by organisation. @throws CommandError if there is something */
export async function assertFinal(session: AdminSession, scopes: readonly Scope[]): Promise<void> {
  const database = await session.database();
  const unfinished = await unfinishedWork(database, scopes);
  if (unfinished.length === 0) return;
  for (const { organisationId, items } of unfinished.slice(0, maxListed.organisations)) {
    const { label } = await findOrganisation(database, organisationId);
    const named = items
      .slice(0, maxListed.items)
      .map(({ what, id, note }) => `${what} ${id}${note === null ? '' : ` (${note})`}`);
    const more = items.length > maxListed.items ? ` and ${items.length - maxListed.items} more` : '';
    session.remark(`${label}: ${named.join(', ')}${more}`);
  }
  const unlisted = unfinished.length - maxListed.organisations;
  if (unlisted > 0)
    session.remark(`and ${unlisted} more ${unlisted === 1 ? 'organisation' : 'organisations'}`);
  const all = unfinished.flatMap(({ items }) => items);
  for (const kind of new Set(all.map(({ what }) => what)))
    if (advice[kind] !== undefined) session.remark(advice[kind]);
  const next =
    scopes.length > 1
      ? 'Erase the number in the other organisations with --organisation, or run the command again when all are final.'
      : 'Run the command again when all are final.';
  throw new CommandError(
    `Nothing was erased: ${all.length} ${all.length === 1 ? 'item is' : 'items are'} not final yet. ${next}`,
  );
}
