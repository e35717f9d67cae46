import { randomBytes } from 'node:crypto';
import { sql, statement, t } from '@gangan/database';
import { addOperatorLogin, dropOperatorLogin, operatorLoginOf } from '@gangan/storage';
import { asOwner } from '@gangan/management';
import type { Row } from '../session/print.js';
import type { AdminSession } from '../session/session.js';

const listOperators = statement(
  { name: t.text, login: t.text, canApprove: t.bool, addedAt: t.timestamp, confirmedBy: t.nullable(t.text) },
  () => sql`
    SELECT name, login, added_at AS "addedAt", confirmed_by AS "confirmedBy", is_operator(login) AS "canApprove"
    FROM operator_login ORDER BY name`,
);

const callConfirmOperator = statement(
  { name: t.text },
  (name: string, actor: string) => sql`SELECT ${name}::text AS name FROM confirm_operator(${name}, ${actor})`,
);

/** Operators, their logins and their entries in the audit log. */
export class OperatorStore {
  constructor(private readonly session: AdminSession) {}

  async list(): Promise<Row[]> {
    const database = await this.session.database();
    return (await database.run(listOperators)).map(({ name, login, canApprove, addedAt, confirmedBy }) => ({
      name,
      login,
      can_approve: canApprove,
      added: addedAt,
      confirmed_by: confirmedBy,
    }));
  }

  /** The password is undefined if the login existed. */
  async add(name: string) {
    const password = randomBytes(24).toString('base64url');
    return asOwner(await this.session.database(), async (transaction) => {
      const { login, isNew } = await addOperatorLogin(transaction, name, password);
      const [added] = await transaction.query<{ confirmed: boolean }>(sql`
        SELECT (add_operator(${name}, ${login}, ${(await this.session.access()).principal.name}) ->> 'confirmed')::boolean AS confirmed`);
      return { login, password: isNew ? password : undefined, confirmed: added?.confirmed ?? false };
    });
  }

  async confirm(name: string): Promise<void> {
    await this.session.nameTarget();
    await (
      await this.session.database()
    ).run(callConfirmOperator, name, (await this.session.access()).principal.name);
  }

  async remove(name: string): Promise<string> {
    return asOwner(await this.session.database(), async (transaction) => {
      const [removed] = await transaction.query<{ login: string }>(
        sql`SELECT remove_operator(${name}, ${(await this.session.access()).principal.name}) AS login`,
      );
      const login = removed?.login ?? (await operatorLoginOf(transaction, name));
      await dropOperatorLogin(transaction, login);
      return login;
    });
  }
}
