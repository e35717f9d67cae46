import { parsePhone } from '@gangan/contracts';
import { type Database, sql, statement, t } from '@gangan/database';
import { CommandError } from '../session/errors.js';
import type { Organisation } from '@gangan/management';
import type { AdminSession } from '../session/session.js';
import { patternsOf } from './search/number-pattern.js';
import type { Scope } from './search/scope.js';
import { countUnread } from './tables/shared.js';

const listOrganisations = statement({ id: t.uuid }, () => sql`SELECT id FROM organisation ORDER BY id`);

/** The number in one organisation, or in all of them. @throws CommandError if it is not a phone number */
export async function scopesOf(
  session: AdminSession,
  database: Database,
  given: string,
  organisation: Organisation | undefined,
): Promise<Scope[]> {
  const region = session.settings.defaultRegion;
  const phone = parsePhone(given, region);
  if (!phone) throw new CommandError('--phone is not a phone number: use one such as +2348031234567.');
  const ids = organisation ? [organisation] : await database.run(listOrganisations);
  const patterns = patternsOf(phone, region);
  return ids.map(({ id }) => ({ organisationId: id, phone: phone.e164, patterns }));
}

/** Says that requests of providers which no worker has read yet are not searched. */
export async function remarkUnread(session: AdminSession, database: Database): Promise<void> {
  const [{ count } = { count: 0 }] = await database.run(countUnread);
  if (count > 0)
    session.remark(
      `${count === 1 ? '1 request of a provider is' : `${count} requests of providers are`} not processed yet, and not searched: run the command again later.`,
    );
}
