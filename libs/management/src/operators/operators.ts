import { randomBytes } from 'node:crypto';
import { type Database, sql, statement, t } from '@gangan/database';
import { addOperatorLogin, dropOperatorLogin, operatorLoginOf } from '@gangan/storage';
import { type Access, asOwner, callFunction } from '../access.js';

const selectOperators = statement(
  { name: t.text, login: t.text, can_approve: t.bool, added: t.timestamp, confirmed_by: t.nullable(t.text) },
  () => sql`
    SELECT name, login, is_operator(login) AS can_approve, added_at AS added, confirmed_by
    FROM operator_login ORDER BY name`,
);

export const listOperators = (database: Database) => database.run(selectOperators);

/** Creates the login of an operator. The password is undefined if the login existed. */
export function addOperator({ database, principal }: Access, name: string) {
  const password = randomBytes(24).toString('base64url');
  return asOwner(database, async (transaction) => {
    const { login, isNew } = await addOperatorLogin(transaction, name, password);
    const [added] = await transaction.query<{ confirmed: boolean }>(sql`
      SELECT (add_operator(${name}, ${login}, ${principal.name}) ->> 'confirmed')::boolean AS confirmed`);
    return { login, password: isNew ? password : undefined, confirmed: added?.confirmed ?? false };
  });
}

const callConfirmOperator = statement(
  { name: t.text },
  (name: string, actor: string) => sql`SELECT ${name}::text AS name FROM confirm_operator(${name}, ${actor})`,
);

/** Lets an operator approve what others request. Only another operator can. */
export const confirmOperator = ({ database, principal }: Access, name: string) =>
  callFunction(database, callConfirmOperator, name, principal.name);

/** Drops the login of an operator, and returns it. */
export const removeOperator = ({ database, principal }: Access, name: string): Promise<string> =>
  asOwner(database, async (transaction) => {
    const [removed] = await transaction.query<{ login: string }>(
      sql`SELECT remove_operator(${name}, ${principal.name}) AS login`,
    );
    const login = removed?.login ?? (await operatorLoginOf(transaction, name));
    await dropOperatorLogin(transaction, login);
    return login;
  });
