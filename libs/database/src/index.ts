export { Database, DatabaseModule } from './database.js';
export { Prisma } from './generated/client.js';
export type * from './generated/client.js';
export * from './generated/enums.js';
export { migrate, pendingMigrations, schemaDrift } from './migrations/migrate.js';
export { MigrationError } from './migrations/migration-error.js';
export { type DatabaseSettings, databaseUrlFault } from './pool.js';
export {
  type SqlFailure,
  sqlFailure,
  sqlState,
  unavailableWhenAway,
  unknownWhenLost,
} from './sql/sql-failure.js';
export { type SharedStatement, StatementLoader } from './sql/statement-loader.js';
export * from './sql/columns.js';
export { idBefore, type Page, readPage } from './sql/paging.js';
export {
  type Command,
  command,
  type DeclaredStatement,
  declaredStatements,
  type RowOf,
  type Sql,
  sql,
  type Statement,
  statement,
} from './sql/statement.js';
export type { SqlRunner, Statements } from './sql/statements.js';
export {
  createAccount,
  type Mode,
  type Models,
  modes,
  type NewAccount,
  openLedgerAccounts,
} from './tenants/accounts.js';
export {
  expireKey,
  type IssuedKey,
  issueKey,
  type IssueKeyInput,
  revokeKey,
  rotateKey,
  type RotateKeyInput,
  type Rotation,
} from './tenants/api-keys.js';
export { rotateCallbackSecret } from './tenants/callback-secrets.js';
export { type Limits, limitsOf, setLimits } from './tenants/limits.js';
export { OrganisationModes } from './tenants/organisation-modes.js';
export { seedDemo } from './tenants/seed-demo.js';
export {
  isLockTimeout,
  isTransient,
  lockRetries,
  retryTransient,
  type SqlRetryPolicy,
} from './sql/retry-transient.js';
