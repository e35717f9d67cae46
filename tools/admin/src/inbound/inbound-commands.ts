import { type ReceiveInbound, receiveInbound } from '@gangan/contracts';
import type { InboundRequest } from '@gangan/database';
import { openInboundToken, readProvider } from '@gangan/management';
import { formatMicros, InboundContents, readInbound } from '@gangan/providers';
import { keysOf } from '@gangan/queue';
import { InboundSealer } from '@gangan/sealing';
import { type Command, Option } from 'commander';
import { wholeNumber } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { configuredKeys, queueKeysOf } from '../session/stores.js';
import { maskContent } from './mask-content.js';

const states = ['received', 'handled', 'unparsed'] as const;

interface InboundRequestContent {
  readonly query: string;
  readonly body: string;
  readonly reference?: string;
  readonly contentType: string | undefined;
}

interface ListOptions {
  readonly provider?: string;
  readonly state?: (typeof states)[number];
  readonly limit: number;
}

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'list', 'list requests from providers, newest first', [
    '--state unparsed --provider termii',
  ])
    .option('--provider <name>', 'only of this provider')
    .addOption(new Option('--state <state>', 'only in this state').choices(states))
    .option('--limit <n>', 'the maximum number of rows', wholeNumber(1, 1_000), 50)
    .action(async ({ provider, state, limit }: ListOptions) => {
      const database = await session.database();
      const rows = await database.inboundRequest.findMany({
        where: { ...(provider !== undefined && { provider }), ...(state && { state }) },
        orderBy: { id: 'desc' },
        take: limit,
      });
      session.list(
        rows.map((row) => ({
          id: row.id,
          provider: row.provider,
          state: row.state,
          verified: row.unverifiedBytes === null,
          method: row.method,
          attempts: row.attempt,
          received: row.receivedAt,
          fault: row.fault,
        })),
        'There are no stored requests.',
      );
    });

  addCommand(
    group,
    'show <id>',
    'show a request from a provider, and the reports and messages that its settings find in it',
    ['01a1dd98-ffc6-7f4b-beeb-767704693149'],
    'Secrets are masked, and so are numbers of four digits or more: they may be phone numbers or OTPs. A request that is not verified may be forged.',
  ).action(async (id: string) => {
    const database = await session.database();
    const row = await findRequest(session, id);
    const provider = await readProvider(database, session.sealer, row.provider);
    const { query, body, reference, contentType } = await open(session, row);
    const token = provider && (await openInboundToken(session.sealer, provider).catch(() => undefined));
    const secrets = [...Object.values(provider?.secrets ?? {}), ...(token === undefined ? [] : [token])];
    const read = provider && readInbound(provider, { query, body, contentType, reference });
    await database.$transaction((models) => session.audit(models, { target: id }));
    session.show({
      id,
      provider: row.provider,
      state: row.state,
      verified: row.unverifiedBytes === null,
      fault: row.fault,
      attempts: row.attempt,
      received: row.receivedAt,
      method: row.method,
      content_type: contentType,
      query: maskContent(query, secrets) || undefined,
      body: maskContent(body, secrets) || undefined,
      faults: read?.faults,
      reports: read?.reports.map(({ providerReference, reference, state, reason, cost }) => ({
        provider_reference: providerReference,
        reference,
        state,
        reason,
        cost: cost === null ? 'not known' : cost && `${cost.currency} ${formatMicros(cost.micros)}`,
      })),
      messages: read?.messages.map(({ channel, type, reference }) => ({
        channel,
        type,
        provider_reference: reference,
      })),
    });
  });

  addCommand(
    group,
    'replay [id]',
    'read requests again, with the current settings',
    ['01a1dd98-ffc6-7f4b-beeb-767704693149', '--provider termii'],
    'Reports and messages that were already stored change nothing. With --provider, all its requests that could not be read are read again. One that is not verified is verified first.',
  )
    .option('--provider <name>', 'all unparsed requests of this provider')
    .action(async (id: string | undefined, { provider }: { provider?: string }) => {
      if ((id === undefined) === (provider === undefined))
        throw new CommandError('Give the id of a request, or --provider.');
      if (id !== undefined) await findRequest(session, id);
      const database = await session.database();
      const where = id === undefined ? { provider: provider ?? '', state: 'unparsed' as const } : { id };
      const replayed = await database.$transaction(async (models) => {
        const { count } = await models.inboundRequest.updateMany({
          where: { ...where, NOT: { state: 'received' } },
          data: {
            state: 'received',
            fault: null,
            attempt: 0,
            unfinishedClaims: 0,
            nextAttemptAt: new Date(),
          },
        });
        await session.audit(models, { target: id ?? provider ?? '', after: { replayed: count } });
        return count;
      });
      session.done(`${replayed} ${replayed === 1 ? 'request is' : 'requests are'} read again.`, { replayed });
    });
}

async function findRequest(session: AdminSession, id: string): Promise<InboundRequest> {
  const database = await session.database();
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
  const row = isUuid ? await database.inboundRequest.findUnique({ where: { id } }) : null;
  if (row) return row;
  throw new CommandError(`There is no request ${id}: see \`pnpm admin inbound list\`.`);
}

/** QUEUE_MASTER_KEY is needed only for requests that no worker could read. */
async function open(session: AdminSession, row: InboundRequest): Promise<InboundRequestContent> {
  const { id, sealedContent } = row;
  const contentType = row.contentType ?? undefined;
  const sealer = await session.sealer();
  const isVerified = row.unverifiedBytes === null;
  try {
    if (isVerified) return { ...new InboundContents(sealer).open(sealedContent, id), contentType };
  } catch {
    // Version 0.2 has stored it.
  }
  const keys = keysOf(await queueKeysOf(session.settings), 'gateway', receiveInbound);
  const received = new InboundSealer([
    ...keys,
    ...(await configuredKeys(session.settings, 'earlierQueueKey')),
  ]);
  const contents = new InboundContents(sealer, received);
  try {
    if (isVerified) return { ...contents.open(sealedContent, id), contentType };
    return asSent(contents.openUnverified(sealedContent, id));
  } catch (cause) {
    throw new CommandError('The request cannot be opened: check DATA_MASTER_KEY and QUEUE_MASTER_KEY.', {
      cause,
    });
  }
}

/** What a worker would read in an unverified request. */
const asSent = (request: ReceiveInbound | undefined): InboundRequestContent => ({
  query: request?.url.split(/\?(.*)/s)[1] ?? '',
  body: request?.body ?? '',
  contentType: request?.content_type,
});
