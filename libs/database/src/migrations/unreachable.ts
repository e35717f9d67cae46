import { redactUrl, describeError } from '@gangan/protocol';
import { MigrationError } from './migration-error.js';

const advice: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there; start Postgres or correct DATABASE_URL',
  ENOTFOUND: 'there is no such host; correct DATABASE_URL',
  ERR_INVALID_URL: 'it is no URL; correct DATABASE_URL',
  ETIMEDOUT: 'it does not answer; check the network and DATABASE_URL',
  '3D000': 'there is no such database; create it',
  '28P01': 'the password is wrong; correct DATABASE_URL',
  '28000': 'it does not let this user in; correct DATABASE_URL',
  '42501': 'this user may not change the schema; use the owner of the database',
};

/** Why the database could not be worked on at all, without its password. */
export function unreachable(url: string, error: unknown): MigrationError {
  const { code = '' } = Object(error) as { code?: string };
  const reason = advice[code] ?? describeError(error);
  return new MigrationError(`Cannot use the database at ${redactUrl(url)}: ${reason}.`, { cause: error });
}
