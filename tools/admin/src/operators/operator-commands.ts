import { addOperator, confirmOperator, listOperators, removeOperator } from '@gangan/management';
import type { Command } from 'commander';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { databaseUrlOf } from '../session/stores.js';
import { invalid } from '../session/arguments.js';

/** The login is the role of the operators, `_` and the name: at most the 63 bytes of Postgres. */
function operatorName(text: string): string {
  if (/^[a-z][a-z0-9-]{0,12}$/.test(text) && text !== 'login') return text;
  return invalid(
    'Use 1 to 13 lower-case letters (a to z), digits and hyphens, beginning with a letter; not "login".',
  );
}

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'list', 'list operators, and whether they can approve').action(async () => {
    session.list(
      await listOperators(await session.database()),
      'There are no operators: the owner of the tables adds them with `pnpm admin operators add`.',
    );
  });

  addCommand(
    group,
    'add',
    'create the database login of an operator, and print its password once',
    ['ada'],
    `DATABASE_URL must be the owner of the tables, with CREATEROLE. If the login exists, it keeps its password. The first two
operators can approve at once; each later one when another operator has run \`pnpm admin operators confirm\`.`,
  )
    .argument('<name>', 'such as ada', operatorName)
    .action(async (name: string) => {
      const { login, password, confirmed } = await addOperator(await session.access(), name);
      const url =
        password === undefined
          ? undefined
          : withLogin(await databaseUrlOf(session.settings), login, password);
      session.show({ operator: name, login, can_approve: confirmed, database_url: url });
      session.remark(
        url === undefined
          ? `The login ${login} existed and keeps its password.`
          : `Give the URL to ${name} alone, for DATABASE_URL: it is not stored, and not shown again.`,
      );
      if (!confirmed) session.remark(`Another operator must confirm: pnpm admin operators confirm ${name}`);
    });

  addCommand(group, 'confirm', 'let a new operator approve; only another operator can', ['grace'])
    .argument('<name>', 'as `operators list` shows it', operatorName)
    .action(async (name: string) => {
      await session.confirm(`Let ${name} approve what others request?`);
      await confirmOperator(await session.access(), name);
      session.done(`${name} can approve now.`, { operator: name, can_approve: true });
    });

  addCommand(
    group,
    'remove',
    'drop the login of an operator, and end its open connections',
    ['grace'],
    'DATABASE_URL must be the owner of the tables, with CREATEROLE.',
  )
    .argument('<name>', 'as `operators list` shows it', operatorName)
    .action(async (name: string) => {
      await session.confirm(`Remove the operator ${name}?`);
      const login = await removeOperator(await session.access(), name);
      session.done(`${name} is removed; the login ${login} is dropped.`, { operator: name, login });
    });
}

function withLogin(given: string, user: string, password: string): string {
  const url = URL.parse(given);
  if (!url) throw new CommandError('DATABASE_URL cannot be read.');
  return Object.assign(url, { username: encodeURIComponent(user), password }).href;
}
