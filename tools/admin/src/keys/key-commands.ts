import {
  findKey,
  findKeys,
  issueKey,
  revokeKey,
  rotateKey,
  setKeyExpiry,
  setKeyNetworks,
  setKeyScopes,
  setRule,
  type StoredKey,
} from '@gangan/management';
import { type KeyScope, keyScopes } from '@gangan/protocol';
import { Argument, type Command } from 'commander';
import { duration, futureTime, isSoon, networks, scopes, plainText } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';

const shownOnce = 'Copy the key now: it is not stored and not shown again.';

const keyArgument = ['<key>', 'id of the key, or its prefix as `keys list` shows it'] as const;

const scopesHelp = `The scopes are ${keyScopes.join(', ')}; sms alone means sms:read and sms:write, and all alone every scope.`;

const shares = ['fairly', 'freely'] as const;

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
      const organisation = await session.organisation(given);
      const { name, expires: expiresAt } = options;
      const issued = await issueKey(await session.access(), organisation, { ...options, expiresAt });
      const { key, id, scopes: granted } = issued;
      const row = { key, id, organisation: organisation.label, name, scopes: granted };
      session.show({ ...row, networks: describeNetworks(options.networks), expires: expiresAt });
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
      const key = await findKey(await session.database(), given);
      await confirmEnd(key, new Date(Date.now() + options.overlap));
      const input = { overlapMs: options.overlap, expiresAt: options.expires };
      const rotated = await rotateKey(await session.access(), key, input);
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
      const key = await findKey(await session.database(), given);
      await session.confirm(`Revoke ${describeKey(key)}? This cannot be undone.`);
      const revoked = await revokeKey(await session.access(), key);
      session.done(`${key.prefix}… is revoked.`, rowOf(revoked));
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
      const key = await findKey(await session.database(), given);
      if (allowed.length > 0 && key.state === 'active')
        await session.confirm(`${describeKey(key)} would work only from ${allowed.join(', ')}. Continue?`);
      const changed = await setKeyNetworks(await session.access(), key, allowed);
      session.done(`${key.prefix}… works from: ${describeNetworks(allowed).join(', ')}.`, rowOf(changed));
    });

  addCommand(
    group,
    'scopes',
    'change what a key may do; every gateway follows within 5 s',
    ['sk_live_3kd9XtYq sms,otp', 'sk_live_3kd9XtYq all'],
    scopesHelp,
  )
    .argument(...keyArgument)
    .argument('<scopes>', 'all its scopes from now on, such as lookup:read,sms, or all', scopes)
    .action(async (given: string, wanted: KeyScope[]) => {
      const key = await findKey(await session.database(), given);
      const lost = key.scopes.filter((scope) => !wanted.includes(scope));
      if (lost.length > 0 && key.state === 'active')
        await session.confirm(`${describeKey(key)} would lose ${lost.join(', ')}. Continue?`);
      const changed = await setKeyScopes(await session.access(), key, wanted);
      session.done(`${key.prefix}… has the scopes: ${wanted.join(', ')}.`, rowOf(changed));
    });

  addCommand(
    group,
    'share <organisation>',
    'decide how the keys of an organisation share its rate; every gateway follows within 5 s',
    ['acme/live fairly'],
    `fairly: a key may use all of the rate, but at most half of it while another key was in use within the last 10 s. A key
and its successor count as one. freely: one key may use up all of it. New organisations share fairly.`,
  )
    .addArgument(new Argument('<how>').choices(shares))
    .action(async (given: string, how: (typeof shares)[number]) => {
      const organisation = await session.organisation(given);
      const fairly = how === 'fairly';
      await setRule(await session.access(), organisation, 'fairKeys', fairly);
      const row = { organisation: organisation.id, fair_keys: fairly };
      session.done(`The keys of ${organisation.label} share its rate ${how}.`, row);
    });

  const examples = ['sk_live_3kd9XtYq 7d', 'sk_live_3kd9XtYq never'];
  addCommand(group, 'expire', 'change when a key expires', examples)
    .argument(...keyArgument)
    .argument('<when>', 'such as 7d, 2027-01-31 or never', (text: string) =>
      text === 'never' ? undefined : futureTime(text),
    )
    .action(async (given: string, at: Date | undefined) => {
      const key = await findKey(await session.database(), given);
      if (key.state === 'expired')
        await session.confirm(`${describeKey(key)} has expired and would work again. Continue?`);
      if (at) await confirmEnd(key, at);
      const changed = await setKeyExpiry(await session.access(), key, at);
      const end = at ? `expires at ${at.toISOString()}` : 'does not expire';
      session.done(`${key.prefix}… ${end}.`, rowOf(changed));
    });

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

const describeNetworks = (allowed: readonly string[]): readonly string[] =>
  allowed.length === 0 ? ['any'] : allowed;

const describeKey = ({ prefix, name, organisation }: StoredKey): string =>
  `${prefix}… (${name}) of ${organisation}`;

const rowOf = (key: StoredKey) => ({
  id: key.id,
  prefix: key.prefix,
  name: key.name,
  state: key.state,
  scopes: key.scopes.length === keyScopes.length ? ['all'] : key.scopes,
  networks: describeNetworks(key.allowedNetworks),
  created: key.createdAt,
  last_used: key.lastUsedAt,
  expires: key.expiresAt,
  revoked: key.revokedAt,
  replaced_by: key.replacedBy,
});
