import { balancesOf } from '@gangan/billing';
import { type Database, sql, statement, t } from '@gangan/database';
import { messageSettingsOf } from './message-settings.js';
import type { Status } from './organisations.js';
import { destinationSettings } from './settings.js';

/** A suspended account suspends both its organisations. */
export const effectiveStatus = (organisation: { status: Status; account: { status: Status } }): Status =>
  organisation.account.status === 'suspended' ? 'suspended' : organisation.status;

/** All organisations, by the names of their accounts. `keys` counts those that can be used now. */
export async function listOrganisations(database: Database) {
  const now = new Date();
  const isValid = [
    { OR: [{ revokedAt: null }, { revokedAt: { gt: now } }] },
    { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
  ];
  const organisations = await database.organisation.findMany({
    include: { account: true, _count: { select: { apiKeys: { where: { AND: isValid } } } } },
    orderBy: [{ account: { name: 'asc' } }, { accountId: 'asc' }, { mode: 'asc' }],
  });
  return organisations.map((organisation) => ({
    id: organisation.id,
    name: organisation.account.name,
    mode: organisation.mode,
    status: effectiveStatus(organisation),
    keys: organisation._count.apiKeys,
    created: organisation.createdAt,
  }));
}

/** Beyond this number the exact count makes no difference. */
const maxCounted = 100_000;

/** What waits to be sent; held while the organisation is suspended. */
const countUnsent = statement(
  { deliveries: t.int, expansions: t.int, purchases: t.int },
  (organisationId: string) => sql`
    SELECT
      (SELECT count(*) FROM (
        SELECT FROM delivery WHERE lane IN ('otp', 'sms') AND organisation_id = ${organisationId}
          AND state IN ('queued', 'submitting') LIMIT ${maxCounted}) few)::int AS deliveries,
      (SELECT count(*) FROM message_expansion
        WHERE organisation_id = ${organisationId} AND state = 'expanding')::int AS expansions,
      (SELECT count(*) FROM (
        SELECT FROM airtime_purchase WHERE organisation_id = ${organisationId} AND state = 'pending'
          LIMIT ${maxCounted}) few)::int AS purchases`,
);

/** An organisation with its rules, money and unsent work. */
export async function describeOrganisation(database: Database, id: string) {
  const include = { account: true, ledgerAccounts: { where: { kind: 'wallet' as const } } };
  const organisation = await database.organisation.findUniqueOrThrow({ where: { id }, include });
  const { settings, ledgerAccounts, ...fields } = organisation;
  const destinations = destinationSettings.parse((settings as { readonly sms?: unknown }).sms);
  const [unsent] = await database.run(countUnsent, id);
  return {
    ...fields,
    ...(await balancesOf(database, id)),
    status: effectiveStatus(organisation),
    lowBalanceKobo: ledgerAccounts[0]?.lowBalanceKobo ?? null,
    messages: messageSettingsOf(settings),
    /** Undefined if the setting is invalid. */
    destinations: destinations.ok ? destinations.value : undefined,
    unsent,
  };
}
