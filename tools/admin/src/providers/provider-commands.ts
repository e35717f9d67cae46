import { ProviderDomain } from '@gangan/database';
import {
  addProvider,
  defineProvider,
  describeProvider,
  disableProvider,
  enableProvider,
  findDestinations,
  findProvider,
  listProviders,
  type ProviderDefinition,
  removeProvider,
  resumeProvider,
  sendsReports,
  setProvider,
  type ShownProvider,
} from '@gangan/management';
import {
  findRefusedPatterns,
  inboundPath,
  messageSettings,
  presets,
  providerKinds,
  usesReportUrl,
} from '@gangan/providers';
import { type Command, Option } from 'commander';
import { invalid } from '../session/arguments.js';
import { Money, type Row, StoredJson } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addApplyCommand } from './apply-command.js';
import { addInboundUrlCommand } from './inbound-url-command.js';
import { addOptions, type ProviderOptions, readChanges } from './provider-options.js';
import { describeDestinations } from './provider-prices.js';
import { addTestCommand } from './test-command.js';

interface AddOptions extends ProviderOptions {
  readonly preset?: string;
  readonly organisation?: string;
  readonly disabled?: true;
  readonly kind: string;
  readonly domain?: ProviderDomain;
}

export function addCommands(group: Command, session: AdminSession): void {
  const counted = `A provider gets messages, purchases or lookups while it is up. submitted counts them over the last 5 to 10 minutes, not_accepted is the share that it did not accept.`;
  addCommand(group, 'list', 'list all providers with their health', [''], counted).action(async () => {
    session.list(
      await listProviders(await session.database()),
      'There is no provider: live organisations cannot send. Add one with `pnpm admin providers add`.',
    );
  });

  addCommand(group, 'show <name>', 'show a provider; the values of secrets are not shown', ['termii']).action(
    async (name: string) => {
      const found = await findProvider(await session.database(), session.sealer, name);
      const reportsAt = sendsReports(found) ? inboundPath(name, '…') : undefined;
      const faults = findRefusedPatterns(found.settings).join('; ') || undefined;
      session.show({ name, ...rowOf(found), reports_at: reportsAt, unusable_because: faults });
    },
  );

  addCommand(group, 'presets', 'list the presets').action(() => {
    const rows = Object.entries(presets).map(([name, preset]) => {
      const { title, domain, channels, secrets, pages } = preset;
      return { name, title, domain, channels, secrets, pages };
    });
    session.list(rows, '');
  });

  const examples = [
    'termii --preset termii --secret api_key=TERMII_API_KEY',
    'termii-promo --preset termii --secret api_key=TERMII_API_KEY --set request.json.channel=generic --rate 50',
    'vtpass --kind vtpass --secret api_key=VTPASS_KEY --secret public_key=VTPASS_PUBLIC --secret secret_key=VTPASS_SECRET',
    'whatsapp --kind whatsapp --set phoneNumberId=106540352242922 --set accountId=102290129340398 --secret access_token=WHATSAPP_TOKEN --secret app_secret=WHATSAPP_APP_SECRET --secret verify_token=WHATSAPP_VERIFY_TOKEN',
  ];
  const notes = `It is used by the routes that name it: see \`pnpm admin routes add\`. Workers apply changes within 5 s.`;
  addOptions(addCommand(group, 'add <name>', 'add a provider', examples, notes))
    .option('--preset <preset>', 'copy the settings of a preset')
    .addOption(
      new Option('--kind <kind>', 'without a preset').choices(Object.keys(providerKinds)).default('http'),
    )
    .addOption(
      new Option(
        '--domain <domain>',
        'what it is for, without a preset; by default the first of its kind',
      ).choices(Object.values(ProviderDomain)),
    )
    .option('--organisation <organisation>', 'only this organisation may use it')
    .option('--disabled', 'routes leave it out until it is enabled')
    .action(async (name: string, options: AddOptions) => {
      const { organisation, preset, kind, domain } = options;
      const own = organisation === undefined ? undefined : await session.liveOrganisation(organisation);
      const definition = defineProvider({
        ...{ name, organisationId: own?.id ?? null, enabled: !options.disabled },
        ...(preset === undefined ? { kind, ...(domain && { domain }) } : { preset }),
        ...readChanges(session, options),
      });
      await addProvider(await session.access(), definition);
      const destinations = await findDestinations(await session.database(), definition);
      const prices = destinations.map(({ price, ...destination }) => ({
        ...destination,
        price: price === null ? null : new Money(price),
      }));
      const test = `Test it with \`pnpm admin providers test ${name} <phone>\``;
      const next = {
        airtime: `Add it to a route with \`pnpm admin airtime route ${name}\``,
        lookup: test,
        message: `${test}, then add it to a route`,
      };
      const address = sendsReports(definition) ? `\n${addressHint(definition)}` : '';
      const costs = describeDestinations(definition, destinations, own?.label);
      const sentence = `${name} is added. ${next[definition.domain]}.${address}\n\n${costs}`;
      session.done(sentence, { name, ...rowOf(definition), prices });
    });

  addOptions(
    addCommand(group, 'set <name>', 'change settings, secrets or limits', [
      'termii --rate 100 --window 20',
      'termii --secret api_key=TERMII_API_KEY',
    ]),
  )
    .option('--unset <path>', 'remove a setting; repeatable', collect)
    .option('--unset-secret <name>', 'remove a secret; repeatable', collect)
    .action(async (name: string, options: ProviderOptions) => {
      if (Object.keys(options).length === 0) invalid('Name at least one change; --help lists them.');
      const changes = readChanges(session, options);
      showChanges(name, await setProvider(await session.access(), name, changes));
    });

  const disabling =
    'send no more messages to a provider; those that it may have accepted wait for their report';
  for (const [command, description, change] of [
    ['enable', 'let routes use a provider again', enableProvider],
    ['disable', disabling, disableProvider],
  ] as const)
    addCommand(group, `${command} <name>`, description, ['termii']).action(async (name: string) => {
      showChanges(name, await change(await session.access(), name));
    });

  addCommand(group, 'remove <name>', 'remove a provider that no route uses', ['termii']).action(
    async (name: string) => {
      await session.confirm(`Remove the provider ${name}, its secrets and the registrations of senders?`);
      await removeProvider(await session.access(), name);
      session.done(`${name} is removed.`, { name });
    },
  );

  addCommand(
    group,
    'resume <name>',
    'send messages to a paused or open provider again at once',
    ['termii'],
    'A provider that refuses our account is paused; one that keeps failing is open. Both are also tested again from time to time.',
  ).action(async (name: string) => {
    const before = await resumeProvider(await session.access(), name);
    session.done(`${name} gets messages again. Workers apply it within 5 s.`, { name, before, state: 'up' });
  });

  addTestCommand(group, session);
  addInboundUrlCommand(group, session);
  addApplyCommand(group, session);

  function showChanges(name: string, changes: readonly string[]): void {
    const sentence =
      changes.length === 0 ? 'There are no differences; nothing was changed.' : changes.join('\n');
    session.done(sentence, { name, changes });
  }
}

const rowOf = (provider: ShownProvider): Row => ({
  ...describeProvider(provider),
  settings: new StoredJson(provider.settings),
});

function addressHint({ name, kind, settings }: ProviderDefinition): string {
  const shown = `the address that \`pnpm admin providers inbound-url ${name}\` shows`;
  return usesReportUrl(messageSettings(kind, settings))
    ? `It gets an address for reports with each message, which begins with PUBLIC_URL of the messaging workers. For incoming messages, give it ${shown}.`
    : `For delivery reports, give it ${shown}.`;
}

const collect = (given: string, before: readonly string[] = []): readonly string[] => [...before, given];
