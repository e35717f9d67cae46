import { type Channel, channels, isKnownRegion, parsePhone } from '@gangan/contracts';
import type { Database, Models } from '@gangan/database';
import { newId } from '@gangan/protocol';
import {
  decideRoute,
  readRoutableProviders,
  readRoutes,
  readSenderRegistrations,
  type RouteTarget,
  routeTable,
} from '@gangan/providers';
import { type Command, Option } from 'commander';
import { invalid, sender as senderArgument } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { labelOf, withAccount } from '../session/find-organisation.js';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { lockProvidersAndRoutes } from './lock.js';
import { formatTargets, parseTargets, targetFault } from './targets.js';

interface Conditions {
  readonly organisation?: string;
  readonly channel: Channel;
  readonly category?: 'otp';
  readonly prefix?: string;
  readonly country?: string;
}

const withTargets = {
  ...withAccount,
  targets: { include: { provider: true }, orderBy: { position: 'asc' } },
} as const;

function addConditions(command: Command): Command {
  return command
    .option('--organisation <organisation>', 'only deliveries of this organisation')
    .addOption(new Option('--channel <channel>').choices(channels).default('sms'))
    .addOption(new Option('--category <category>', 'only OTPs').choices(['otp']))
    .addOption(
      new Option('--prefix <digits>', 'only numbers that start with these international digits')
        .argParser((text: string) =>
          /^\+?[1-9]\d{0,14}$/.test(text) ? text.replace('+', '') : invalid('Use digits such as 234803.'),
        )
        .conflicts('country'),
    )
    .option('--country <code>', 'only numbers of this country, such as NG', (text: string) =>
      isKnownRegion(text.toUpperCase()) ? text.toUpperCase() : invalid('Use an ISO 3166 code such as NG.'),
    );
}

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'list', 'list all routes; the most specific one that matches decides').action(
    async () => {
      session.list(
        await describeAll(await session.database()),
        'There is no route: live organisations cannot send. Add one with `pnpm admin routes add`.',
      );
    },
  );

  const notes = `Each argument is tried after the one before it. termii:80,other:20 shares the first attempts by weight.`;
  const examples = ['termii', 'termii:80,other:20 backup --country NG', 'termii-otp --category otp'];
  addConditions(
    addCommand(group, 'add <providers...>', 'route deliveries to providers', examples, notes),
  ).action(async (given: string[], options: Conditions) => {
    const targets = parseTargets(given);
    const database = await session.database();
    if (options.organisation !== undefined) await session.liveOrganisation(options.organisation);
    const where = await conditionsOf(options);
    await findTargets(database, targets, where);
    const existing = await database.route.findFirst({ where, include: withTargets });
    if (existing) await session.confirm(`Replace the route to ${formatTargets(existing.targets)}?`);
    await database.$transaction(async (models) => {
      await lockProvidersAndRoutes(models);
      const before = await models.route.findFirst({ where, include: withTargets });
      const found = await findTargets(models, targets, where);
      const id = before?.id ?? newId();
      if (before) await models.routeTarget.deleteMany({ where: { routeId: id } });
      else await models.route.create({ data: { id, ...where } });
      await models.routeTarget.createMany({
        data: found.map((target) => ({ routeId: id, ...target })),
      });
      await session.audit(models, {
        ...{ organisationId: where.organisationId ?? undefined, target: conditionText(options) },
        before: before ? { providers: formatTargets(before.targets) } : undefined,
        after: { providers: given.join(' then ') },
      });
    });
    const route = { ...conditionRow(options), providers: given.join(' then ') };
    session.done(`${conditionText(options)} goes to ${route.providers}. Workers apply it within 5 s.`, route);
  });

  addConditions(
    addCommand(group, 'remove', 'remove the route with exactly these conditions', ['--country NG']),
  ).action(async (options: Conditions) => {
    const database = await session.database();
    const where = await conditionsOf(options);
    await session.confirm(`Remove the route of ${conditionText(options)}?`);
    await database.$transaction(async (models) => {
      await lockProvidersAndRoutes(models);
      const before = await models.route.findFirst({ where, include: withTargets });
      if (!before) throw new CommandError(`There is no route of ${conditionText(options)}.`);
      await models.route.delete({ where: { id: before.id } });
      await session.audit(models, {
        ...{ organisationId: where.organisationId ?? undefined, target: conditionText(options) },
        before: { providers: formatTargets(before.targets) },
      });
    });
    session.done('The route is removed.', conditionRow(options));
  });

  addCommand(
    group,
    'explain <organisation>',
    'show which providers a message to a number goes to, and why',
    ['acme/live 08031234567 --sender Acme', 'acme/live 08031234567 --category otp'],
    'Workers with SIMULATE_LIVE=true use the simulator for live organisations too, whatever the routes say.',
  )
    .argument('<phone>', 'of the recipient')
    .addOption(new Option('--channel <channel>').choices(channels).default('sms'))
    .addOption(new Option('--category <category>').choices(['otp']))
    .option(
      '--sender <sender>',
      'of the message; without it the default sender of the organisation',
      senderArgument,
    )
    .action(
      async (
        given: string,
        phone: string,
        { sender: named, ...options }: { channel: Channel; category?: 'otp'; sender?: string },
      ) => {
        const { database, id: organisationId, label, mode } = await session.organisation(given);
        const { defaultSender } = await database.organisation.findUniqueOrThrow({
          where: { id: organisationId },
        });
        const sender = named ?? defaultSender;
        const parsed = parsePhone(phone, session.settings.defaultRegion);
        if (!parsed) throw new CommandError(`"${phone}" is not a phone number.`);
        const about = {
          ...{ organisation: label, ...options, sender },
          ...{ recipient: parsed.e164, country: parsed.country },
        };
        if (mode === 'test') {
          session.show({
            ...about,
            decision: 'simulator',
            why: 'test organisations always use the simulator',
          });
          return;
        }
        const table = routeTable(
          await readRoutes(database),
          await readRoutableProviders(database),
          await readSenderRegistrations(database),
        );
        const subject = { id: newId(), organisationId, recipient: parsed.e164, sender, ...options };
        const { route, providers, unusable } = decideRoute(table, subject);
        const usable = route?.targets.filter(({ provider }) => providers.includes(provider)) ?? [];
        const refusal = unusable.some(({ isSender }) => isSender)
          ? '400: no provider of the route takes the sender'
          : '503';
        if (providers.length === 0) session.exitCode = 1;
        session.show({
          ...about,
          decision:
            usable.length > 0 ? formatTargets(usable) : `none: the message is refused with ${refusal}`,
          why: route
            ? `the most specific route that matches: ${describeRoute(route, label)}`
            : 'no route matches',
          left_out: unusable.map(({ provider, why }) => `${provider}: ${why}.`),
          sent_as: providers.flatMap((name) => {
            const originator = table.registrations.find(name, sender, organisationId)?.originator ?? sender;
            return originator === sender ? [] : [`${originator} by ${name}`];
          }),
        });
      },
    );

  async function conditionsOf({ organisation, channel, category, prefix, country }: Conditions) {
    const owner = organisation === undefined ? undefined : await session.organisation(organisation);
    return {
      ...{ organisationId: owner?.id ?? null, channel },
      ...{ category: category ?? null, prefix: prefix ?? null, country: country ?? null },
    };
  }
}

/** @throws CommandError that names every provider that the route cannot use */
async function findTargets(
  models: Pick<Models, 'provider'>,
  targets: readonly RouteTarget[],
  route: { readonly organisationId: string | null; readonly channel: Channel },
): Promise<{ providerId: string; position: number; weight: number }[]> {
  const rows = await models.provider.findMany();
  const faults: string[] = [];
  const found = targets.flatMap(({ provider, position, weight }) => {
    const row = rows.find(({ name }) => name === provider);
    const fault = row && targetFault(row, route);
    if (!row) faults.push(`there is no provider ${provider}`);
    else if (fault !== undefined) faults.push(`${provider} ${fault}`);
    return row ? [{ providerId: row.id, position, weight }] : [];
  });
  if (faults.length > 0) throw new CommandError(`The route cannot be used: ${faults.join('; ')}.`);
  return found;
}

async function describeAll(database: Database): Promise<Row[]> {
  const rows = await database.route.findMany({ include: withTargets });
  const { routes } = routeTable(await readRoutes(database), []);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return routes.flatMap(({ id, channel, category, prefix, country }) => {
    const row = byId.get(id);
    if (!row) return [];
    const organisation = row.organisation ? labelOf(row.organisation) : 'any';
    return [{ organisation, channel, category, prefix, country, providers: formatTargets(row.targets) }];
  });
}

const conditionRow = ({ organisation, channel, category, prefix, country }: Conditions): Row => ({
  ...{ organisation: organisation ?? 'any', channel, category, prefix, country },
});

const conditionText = ({ organisation, ...conditions }: Conditions): string =>
  describeRoute({ ...conditions, organisationId: organisation ?? null }, organisation);

function describeRoute(
  route: {
    readonly organisationId: string | null;
    readonly channel: Channel;
    readonly category?: string | null | undefined;
    readonly prefix?: string | null | undefined;
    readonly country?: string | null | undefined;
  },
  label = '',
): string {
  const to = route.prefix ?? route.country;
  return [
    ...(route.category ? [route.category] : []),
    route.channel,
    ...(to ? [`to ${to}`] : []),
    route.organisationId === null ? 'of any organisation' : `of ${label}`,
  ].join(' ');
}
