import { grantRoles, roleOf } from '@gangan/database';
import type { queueGrants } from '@gangan/queue';
import { runSql } from '@gangan/testing';

/** Creates a database user with the privileges of operators, who is not the owner of the tables. Returns their URL. */
export async function operatorUrl(
  ownerUrl: string,
  user: string,
  further?: typeof queueGrants,
): Promise<string> {
  await grantRoles(ownerUrl, further);
  const url = new URL(ownerUrl);
  const role = roleOf('operator', url.pathname.slice(1));
  await runSql(ownerUrl, `CREATE ROLE ${user} LOGIN PASSWORD 'secret' IN ROLE "${role}"`);
  return Object.assign(url, { username: user, password: 'secret' }).href;
}
