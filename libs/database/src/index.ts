export { Database, DatabaseModule } from './database.js';
export { Prisma } from './generated/client.js';
export type * from './generated/client.js';
export * from './generated/enums.js';
export { MigrationError } from './migrations/migration-error.js';
export { type Migration, prismaFolder, readMigrations } from './migrations/migration-files.js';
export * from './migrations/migration-history.js';
export { type DatabaseSettings, databaseUrlFault } from './pool.js';
export * from './sql/columns.js';
/** The types of result columns, for the shapes of statements: `{ id: t.uuid, note: t.nullable(t.text) }`. */
export * as t from './sql/columns.js';
export * from './sql/distinct-keys.js';
export * from './sql/paging.js';
export * from './sql/refreshed-cache.js';
export * from './sql/retry-transient.js';
export * from './sql/sql-failure.js';
export * from './sql/statement.js';
export * from './sql/statement-loader.js';
export type { SqlRunner, Statements } from './sql/statements.js';
export { unnest } from './sql/unnest.js';
export * from './tenants/accounts.js';
export * from './tenants/api-keys.js';
export {
  newEndpointSecret,
  openCallbackSecret,
  openEndpointSecret,
  rotateCallbackSecret,
  sealCallbackSecret,
} from './tenants/secrets.js';
export * from './tenants/limits.js';
export * from './tenants/spend-limits.js';
export { organisationLoader } from './tenants/organisation-loader.js';
export { OrganisationModes } from './tenants/organisation-modes.js';
export { contactUsage, findUsage, responseUsage, type StoredUsage } from './tenants/stored-usage.js';
export { isSuspended, suspendedOrganisations } from './tenants/suspension.js';
export { deliveryAttempts } from './attempts.js';
export { isQuiet } from './quiet.js';
export { isUnanswered, oldestUnanswered, refundableCodes } from './unanswered.js';
