import {
  allowNetworks,
  expireKey,
  issueKey,
  lockKey,
  type Models,
  revokeKey,
  rotateKey,
} from '@gangan/database';
import { type KeyScope, keyScopes } from '@gangan/protocol';
import type { Command } from 'commander';
import { duration, futureTime, isSoon, networks, scopes, plainText } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addScopesCommand, keyArgument, scopesHelp } from './scopes-command.js';
import { addShareCommand } from './share-command.js';
import {
  auditedFields,
  describeKey,
  describeNetworks,
  findKey,
  findKeys,
  rowOf,
  type StoredKey,
} from './stored-key.js';

const shownOnce = 'Copy the key now: it is not stored and not shown again.';

const whyNotRotated = {
  unknown: 'no longer exists',
  revoked: 'is revoked: issue a new one with `pnpm admin keys issue`',
  expired: 'is expired: issue a new one with `pnpm admin keys issue`',
  replaced: 'was already rotated: rotate its successor, or issue a new one with `pnpm admin keys issue`',
};

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'issue <organisation>',
    'create a key; it is shown once',
    [
      'acme/live --name Shop --scopes sms,otp --expires 90d',
      'acme/live --name Back-office --scopes all',
      'acme/test --name CI',
    ],
    scopesHelp,
  )
    .requiredOption('--name <name>', 'a name for operators', plainText(100))
    .option(
      '--scopes <scopes>',
      'such as lookup:read,sms, or all; a test key has all by default, for a live one they must be named',
      scopes,
    )
    .option('--expires <when>', 'such as 90d or 2027-01-31 (default: never)', futureTime)
    .option(
      '--networks <networks>',
      'addresses and CIDR blocks that may use the key (default: any)',
      networks,
      [],
    )
    .action(async (given: string, options: IssueOptions) => {
      const { database, id: organisationId, mode, label } = await session.organisation(given);
      const { name, scopes: named, expires, networks: allowedNetworks } = options;
      if (!named && mode === 'live')
        throw new CommandError(
          `${label} is live: name what the key is for, such as --scopes sms,otp, or --scopes all.`,
        );
      const granted = named ?? [...keyScopes];
      const scopesNamed = named !== undefined;
      const input = {
        organisationId,
        name,
        ...{ scopes: granted, scopesNamed, expiresAt: expires, allowedNetworks },
      };
      const allowed = { networks: describeNetworks(allowedNetworks) };
      const { key, id } = await database.$transaction(async (models) => {
        const issued = await issueKey(models, mode, input);
        const after = { prefix: issued.prefix, name, scopes: granted, ...allowed, expires };
        await session.audit(models, { organisationId, target: `key ${issued.id}`, after });
        return issued;
      });
      session.show({ key, id, organisation: label, name, scopes: granted, ...allowed, expires });
      session.remark(shownOnce);
    });

  const listing = 'list the keys of an organisation; the secret part is not shown';
  addCommand(group, 'list <organisation>', listing).action(async (given: string) => {
    const { database, id, label } = await session.organisation(given);
    const keys = await findKeys(database, { organisationId: id });
    session.list(keys.map(rowOf), `${label} has no keys.`);
  });

  const rotation =
    'create a successor with the same name, scopes and networks; the old key still works for a while';
  addCommand(group, 'rotate', rotation, ['sk_live_3kd9XtYq --overlap 24h'])
    .argument(...keyArgument)
    .option('--overlap <time>', 'how long the old key still works', duration, duration('24h'))
    .option(
      '--expires <when>',
      'when the new key expires (default: when the old key was to expire)',
      futureTime,
    )
    .action(async (given: string, options: { overlap: number; expires?: Date }) => {
      const database = await session.database();
      const key = await findKey(database, given);
      await confirmEnd(key, new Date(Date.now() + options.overlap));
      const input = { overlapMs: options.overlap, expiresAt: options.expires };
      const rotated = await database.$transaction(async (models) => {
        const before = await lockKey(models, key.id);
        const result = await rotateKey(models, key.id, input);
        if (!result.ok) return result;
        const { issued, expiresAt, oldWorksUntil } = result;
        await session.audit(models, {
          organisationId: key.organisationId,
          target: `key ${key.id}`,
          before: { prefix: key.prefix, expires: before?.expiresAt },
          after: {
            expires: oldWorksUntil,
            replaced_by: issued.id,
            new_prefix: issued.prefix,
            new_expires: expiresAt,
          },
        });
        return result;
      });
      if (!rotated.ok) throw new CommandError(`The key ${key.prefix} ${whyNotRotated[rotated.because]}.`);
      session.show({
        key: rotated.issued.key,
        id: rotated.issued.id,
        organisation: key.organisation,
        name: key.name,
        scopes: key.scopes,
        networks: describeNetworks(key.allowedNetworks),
        expires: rotated.expiresAt,
        replaces: key.id,
        old_key_works_until: rotated.oldWorksUntil,
      });
      session.remark(shownOnce);
    });

  addCommand(group, 'revoke', 'revoke a key; every gateway refuses it within 5 s', ['sk_live_3kd9XtYq'])
    .argument(...keyArgument)
    .action(async (given: string) => {
      const database = await session.database();
      const key = await findKey(database, given);
      await session.confirm(`Revoke ${describeKey(key)}? This cannot be undone.`);
      await change(key, (models) => revokeKey(models, key.id));
      session.done(`${key.prefix}… is revoked.`, rowOf(await findKey(database, key.id)));
    });

  addCommand(
    group,
    'networks',
    'change from which networks a key may be used; every gateway follows within 5 s',
    ['sk_live_3kd9XtYq 203.0.113.7,2001:db8::/32', 'sk_live_3kd9XtYq any'],
    'A gateway behind a proxy must know the proxy, or it sees the address of the proxy: see docs/use/http.md.',
  )
    .argument(...keyArgument)
    .argument('<networks>', 'addresses and CIDR blocks, separated by commas, or any', networks)
    .action(async (given: string, allowed: string[]) => {
      const database = await session.database();
      const key = await findKey(database, given);
      if (allowed.length > 0 && key.state === 'active')
        await session.confirm(`${describeKey(key)} would work only from ${allowed.join(', ')}. Continue?`);
      await change(key, (models) => allowNetworks(models, key.id, allowed));
      const from = describeNetworks(allowed).join(', ');
      session.done(`${key.prefix}… works from: ${from}.`, rowOf(await findKey(database, key.id)));
    });

  addScopesCommand(group, session, change);
  addShareCommand(group, session);

  const examples = ['sk_live_3kd9XtYq 7d', 'sk_live_3kd9XtYq never'];
  addCommand(group, 'expire', 'change when a key expires', examples)
    .argument(...keyArgument)
    .argument('<when>', 'such as 7d, 2027-01-31 or never', (text: string) =>
      text === 'never' ? undefined : futureTime(text),
    )
    .action(async (given: string, at: Date | undefined) => {
      const database = await session.database();
      const key = await findKey(database, given);
      if (key.state === 'revoked')
        throw new CommandError(`The key ${key.prefix} is revoked: issue a new one.`);
      if (key.state === 'expired')
        await session.confirm(`${describeKey(key)} has expired and would work again. Continue?`);
      if (at) await confirmEnd(key, at);
      await change(key, (models) => expireKey(models, key.id, at));
      const end = at ? `expires at ${at.toISOString()}` : 'does not expire';
      session.done(`${key.prefix}… ${end}.`, rowOf(await findKey(database, key.id)));
    });

  async function change(key: StoredKey, write: (models: Models) => Promise<void>): Promise<void> {
    const database = await session.database();
    await database.$transaction(async (models) => {
      const before = await lockKey(models, key.id);
      await write(models);
      const after = await models.apiKey.findUniqueOrThrow({ where: { id: key.id } });
      await session.audit(models, {
        organisationId: key.organisationId,
        target: `key ${key.id}`,
        before: before ? auditedFields(before) : undefined,
        after: auditedFields(after),
      });
    });
  }

  /** Asks if the key would stop working before its users can replace it. */
  async function confirmEnd(key: StoredKey, at: Date): Promise<void> {
    const isEarlier = !key.expiresAt || at < key.expiresAt;
    if (key.state !== 'active' || !isEarlier || !isSoon(at)) return;
    await session.confirm(`${describeKey(key)} would stop working at ${at.toISOString()}. Continue?`);
  }
}

interface IssueOptions {
  readonly name: string;
  readonly scopes?: KeyScope[];
  readonly expires?: Date;
  readonly networks: string[];
}
