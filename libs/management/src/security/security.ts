import { type Database, sql, statement, t } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';
import { approvalLimit } from '../approvals/approvals.js';
import { callbackRefusal } from '../callbacks/callbacks.js';
import { findKeys } from '../keys/stored-key.js';
import { labelOf, withAccount } from '../organisations/find-organisation.js';

const findLogins = statement(
  { operators: t.int, login: t.text, isOwner: t.bool },
  () => sql`
    SELECT (SELECT count(*)::int FROM operator_login WHERE is_operator(login)) AS operators,
      session_user::text AS login, pg_has_role(session_user, relowner, 'MEMBER') AS "isOwner"
    FROM pg_class WHERE oid = 'operator_login'::regclass`,
);

/** What a new installation would refuse, or not have, and what else a review of the security needs to know. */
export async function reviewSecurity(database: Database) {
  const [{ operators, login, isOwner } = { operators: 0, login: '', isOwner: false }] =
    await database.run(findLogins);
  const live = { mode: 'live' } as const;
  const organisations = await database.organisation.findMany({
    where: live,
    include: { account: true },
    orderBy: { id: 'asc' },
  });
  const endpoints = await database.callbackEndpoint.findMany({
    where: { enabled: true, organisation: live },
    include: withAccount,
    orderBy: { id: 'asc' },
  });
  const keys = await findKeys(database, { scopesNamed: false, organisation: live });
  return {
    operators,
    /** Who is connected, if that is the owner of the tables or can act as it. */
    owner: isOwner ? login : undefined,
    approvalLimit: await approvalLimit(database),
    /** Live ones, with their rules. */
    organisations: organisations.map((organisation) => ({ ...organisation, label: labelOf(organisation) })),
    /** Enabled ones of live organisations. */
    endpoints: endpoints.map(({ organisation, ...endpoint }) => ({
      ...endpoint,
      organisation: labelOf(organisation),
      /** Why restricted callbacks could not go there. */
      refusal: callbackRefusal(endpoint.url),
      /** Whether it gets the texts of messages, although no key with `sms:read` has chosen that. */
      hasUnconfirmedMessages: endpoint.events.includes('message.received') && !endpoint.messagesConfirmed,
    })),
    /** Active ones of live organisations that have every scope because none were named. */
    keys: keys.filter(
      ({ state, scopes }) => state === 'active' && keyScopes.every((scope) => scopes.includes(scope)),
    ),
  };
}

export type SecurityReview = Awaited<ReturnType<typeof reviewSecurity>>;
