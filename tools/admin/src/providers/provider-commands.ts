import { type Command, Option } from 'commander';
import { ProviderDomain } from '@gangan/database';
import {
  findKind,
  findRefusedPatterns,
  inboundPath,
  messageSettings,
  presets,
  providerKinds,
  usesReportUrl,
} from '@gangan/providers';
import { refuseOpenPurchases } from '../airtime/open-purchases.js';
import { withdrawProducts } from '../airtime/product-commands.js';
import { invalid } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { labelOf, withAccount } from '@gangan/management';
import { addCommand, type AdminSession } from '../session/session.js';
import { addApplyCommand } from './apply-command.js';
import {
  describeProvider,
  domainOf,
  findPreset,
  type ProviderDefinition,
  sendsReports,
} from './definition.js';
import { addOptions, applyOptions, type ProviderOptions, readSecrets } from './provider-options.js';
import { type FoundProvider, ProviderStore, withSecrets } from './provider-store.js';
import { addResumeCommand, describeHealth } from './health-commands.js';
import { describeDestinations, findDestinations } from './provider-prices.js';
import { addInboundUrlCommand } from './inbound-url-command.js';
import { addTestCommand } from './test-command.js';

interface AddOptions extends ProviderOptions {
  readonly preset?: string;
  readonly organisation?: string;
  readonly disabled?: true;
  readonly kind: string;
  readonly domain?: ProviderDomain;
}

export function addCommands(group: Command, session: AdminSession): void {
  const store = new ProviderStore(session);
  const counted = `A provider gets messages, purchases or lookups while it is up. submitted counts them over the last 5 to 10 minutes, not_accepted is the share that it did not accept.`;
  addCommand(group, 'list', 'list all providers with their health', [''], counted).action(async () => {
    const database = await session.database();
    const providers = await database.provider.findMany({
      orderBy: { name: 'asc' },
      include: { ...withAccount, health: true },
    });
    session.list(
      providers.map(({ organisation, ...row }) => ({
        name: row.name,
        owner: organisation ? labelOf(organisation) : 'installation',
        kind: row.kind,
        domain: row.domains[0],
        channels: row.channels,
        ...describeHealth(row),
        ...(findRefusedPatterns(row.settings).length > 0 && { state: 'unusable' }),
        window: row.window,
        changed: row.updatedAt ?? row.createdAt,
      })),
      'There is no provider: live organisations cannot send. Add one with `pnpm admin providers add`.',
    );
  });

  addCommand(group, 'show <name>', 'show a provider; the values of secrets are not shown', ['termii']).action(
    async (name: string) => {
      const found = await store.get(await session.database(), name);
      const reportsAt = sendsReports(found) ? inboundPath(name, '…') : undefined;
      const faults = findRefusedPatterns(found.settings).join('; ') || undefined;
      session.show({ name, ...describeProvider(found), reports_at: reportsAt, unusable_because: faults });
    },
  );

  addCommand(group, 'presets', 'list the presets').action(() => {
    session.list(
      Object.entries(presets).map(([name, { title, domain, channels, secrets, pages }]) => ({
        name,
        title,
        domain,
        channels,
        secrets,
        pages,
      })),
      '',
    );
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
      const own =
        options.organisation === undefined ? null : await session.liveOrganisation(options.organisation);
      const base = options.preset === undefined ? undefined : findPreset(options.preset);
      const domain = base?.domain ?? options.domain ?? domainOf(options.kind);
      const definition: ProviderDefinition = {
        organisationId: own?.id ?? null,
        kind: base?.kind ?? options.kind,
        domain,
        channels: base?.channels ?? findKind(options.kind, domain)?.channels ?? [],
        enabled: !options.disabled,
        ...applyOptions(
          {
            settings: { ...base?.settings },
            secrets: {},
            rate: null,
            window: null,
            registeredSenders: base?.registeredSenders ?? false,
          },
          options,
          readSecrets(session, options),
        ),
      };
      await store.change(async (models) => {
        if (await store.find(models, name))
          throw new CommandError(`There is a provider ${name}: change it with \`pnpm admin providers set\`.`);
        await store.save(models, name, undefined, definition);
      });
      const destinations = await findDestinations(await session.database(), definition);
      session.done(
        `${name} is added. ${
          domain === 'airtime'
            ? `Add it to a route with \`pnpm admin airtime route ${name}\``
            : `Test it with \`pnpm admin providers test ${name} <phone>\`${
                domain === 'message' ? ', then add it to a route' : ''
              }`
        }.${
          sendsReports(definition) ? `\n${addressHint(name, definition)}` : ''
        }\n\n${describeDestinations(definition, destinations, own?.label)}`.trimEnd(),
        { name, ...describeProvider(definition), prices: destinations },
      );
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
      const secrets = readSecrets(session, options);
      await change(name, (found) => {
        // Secrets that cannot be opened are replaced if all of them are given; otherwise the settings lack some.
        const before = options.secret ? found : withSecrets(name, found);
        return {
          ...before,
          ...applyOptions(before, options, secrets),
        };
      });
    });

  addCommand(group, 'enable <name>', 'let routes use a provider again', ['termii']).action((name: string) =>
    change(name, (before) => ({ ...withSecrets(name, before), enabled: true })),
  );

  const disabling =
    'send no more messages to a provider; those that it may have accepted wait for their report';
  addCommand(group, 'disable <name>', disabling, ['termii']).action(async (name: string) => {
    showChanges(name, await store.change((models) => store.disable(models, name)));
  });

  addCommand(group, 'remove <name>', 'remove a provider that no route uses', ['termii']).action(
    async (name: string) => {
      await session.confirm(`Remove the provider ${name}, its secrets and the registrations of senders?`);
      await store.change(async (models) => {
        const { id, ...before } = await store.get(models, name);
        const routes =
          (await models.routeTarget.count({ where: { providerId: id } })) +
          (await models.airtimeRoute.count({ where: { providerId: id } }));
        if (routes > 0)
          throw new CommandError(
            `${name} is used by ${routes === 1 ? 'a route' : `${routes} routes`}: remove them first, or disable it.`,
          );
        if (before.domain === 'airtime') {
          await refuseOpenPurchases(models, name);
          await withdrawProducts(models, name);
        }
        await models.senderRegistration.deleteMany({ where: { provider: name } });
        await models.providerTemplate.deleteMany({ where: { provider: name } });
        await models.provider.delete({ where: { id } });
        await session.audit(models, {
          organisationId: before.organisationId ?? undefined,
          target: name,
          before: describeProvider(before),
        });
      });
      session.done(`${name} is removed.`, { name });
    },
  );

  addResumeCommand(group, session, store);
  addTestCommand(group, session);
  addInboundUrlCommand(group, session);
  addApplyCommand(group, session);

  async function change(name: string, edit: (before: FoundProvider) => ProviderDefinition): Promise<void> {
    const changes = await store.change(async (models) => {
      const before = await store.get(models, name);
      return store.save(models, name, before, edit(before));
    });
    showChanges(name, changes);
  }

  function showChanges(name: string, changes: readonly string[]): void {
    const sentence =
      changes.length === 0 ? 'There are no differences; nothing was changed.' : changes.join('\n');
    session.done(sentence, { name, changes });
  }
}

function addressHint(name: string, { kind, settings }: ProviderDefinition): string {
  const shown = `the address that \`pnpm admin providers inbound-url ${name}\` shows`;
  return usesReportUrl(messageSettings(kind, settings))
    ? `It gets an address for reports with each message, which begins with PUBLIC_URL of the messaging workers. For incoming messages, give it ${shown}.`
    : `For delivery reports, give it ${shown}.`;
}

const collect = (given: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  given,
];
