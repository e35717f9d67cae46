import {
  type Channel,
  type ProviderDomain,
  type RowOf,
  type Sql,
  sql,
  type SqlRunner,
  statement,
  t,
} from '@gangan/database';
import type { Route } from './routes/decide-route.js';

const channels = sql`channels::text[]`;
const channelList = t.array(t.textOf<Channel>());
const isFor = (domain: ProviderDomain): Sql => sql`${domain}::provider_domain = ANY (domains)`;

/** Leaves out settings and secrets. */
const findRoutable = statement(
  {
    name: t.text,
    organisationId: t.nullable(t.uuid),
    channels: channelList,
    enabled: t.bool,
    registeredSenders: t.bool,
  },
  () => sql`
    SELECT name, organisation_id AS "organisationId", ${channels}, enabled, registered_senders AS "registeredSenders"
    FROM provider WHERE ${isFor('message')}`,
);

const findConfigured = statement(
  {
    id: t.uuid,
    name: t.text,
    organisationId: t.nullable(t.uuid),
    domains: t.array(t.textOf<ProviderDomain>()),
    kind: t.text,
    channels: channelList,
    enabled: t.bool,
    settings: t.json<object>(),
    sealedSecrets: t.nullable(t.bytes),
    sealedToken: t.nullable(t.bytes),
    rate: t.nullable(t.int),
    window: t.nullable(t.int),
    registeredSenders: t.bool,
  },
  (domain: ProviderDomain) => sql`
    SELECT id, name, organisation_id AS "organisationId", domains::text[], kind, ${channels}, enabled, settings,
      sealed_secrets AS "sealedSecrets", sealed_token AS "sealedToken", rate, window_size AS window,
      registered_senders AS "registeredSenders"
    FROM provider WHERE ${isFor(domain)}`,
  { samples: [['message']] },
);

const findRoutes = statement(
  {
    id: t.uuid,
    organisationId: t.nullable(t.uuid),
    channel: t.enumOf<Channel>('channel'),
    category: t.nullable(t.text),
    operator: t.nullable(t.text),
    prefix: t.nullable(t.text),
    country: t.nullable(t.text),
    targets: t.json<Route['targets']>(),
  },
  () => sql`
    SELECT route.id, organisation_id AS "organisationId", channel, category, operator, prefix, country::text,
      targets.targets
    FROM route CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object('provider', provider.name, 'position', position, 'weight', weight)
        ORDER BY position, provider.name), '[]') AS targets
      FROM route_target JOIN provider ON provider.id = provider_id WHERE route_id = route.id) targets`,
);

export type StoredProvider = RowOf<typeof findConfigured>;

export const readRoutableProviders = (database: SqlRunner) => database.run(findRoutable);
export const readProviders = (database: SqlRunner, domain: ProviderDomain) =>
  database.run(findConfigured, domain);
export const readRoutes = (database: SqlRunner): Promise<readonly Route[]> => database.run(findRoutes);
