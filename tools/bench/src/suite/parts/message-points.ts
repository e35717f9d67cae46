import type { BrokerKind } from '@gangan/testing';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { KannelRun } from '../../kannel/kannel-run.js';
import type { SmsServerName } from '../../sms/sms-servers.js';
import { SmsRun, type SmsResult } from '../../sms/sms-run.js';
import type { Figures, Group, Point } from '../scenario.js';

export const organisations = 50;
const recipientsToCarrier = 10;
const manyRecipients = 1_000;

/** The messaging system on a broker, and Kannel if it is asked for. */
export class MessagesRun {
  private startedKannel?: Promise<KannelRun>;

  constructor(
    private readonly environment: BenchEnvironment,
    readonly sms: SmsRun,
  ) {}

  kannel(): Promise<KannelRun> {
    this.startedKannel ??= KannelRun.start(this.environment);
    return this.startedKannel;
  }
}

export const messagesOn = (broker: BrokerKind): Group<MessagesRun> => ({
  title: `messages, queue on ${broker}`,
  open: ({ track }, work) =>
    BenchEnvironment.for(broker, track, async (environment) =>
      work(new MessagesRun(environment, await SmsRun.start(environment, organisations))),
    ),
  verify: ({ sms }) => sms.audit(),
});

const titles: Readonly<Record<SmsServerName, string>> = {
  delivering: 'the system',
  direct: 'direct SQL',
  'direct-delivering': 'direct SQL that also delivers',
  'one-job': 'one BullMQ job per request',
  fastify: 'bare Fastify route',
};

/** `POST /sms/send` to one of the servers. */
const send = (
  server: SmsServerName,
  load: { readonly connections: number; readonly organisations: number; readonly recipients?: number },
): Point<MessagesRun> => {
  const { connections, recipients = 1 } = load;
  const details = [
    `${connections} connection${connections === 1 ? '' : 's'}`,
    `${load.organisations} organisation${load.organisations === 1 ? '' : 's'}`,
    ...(recipients > 1 ? [`${recipients.toLocaleString('en')} recipients`] : []),
  ];
  return {
    title: `${titles[server]}, ${details.join(', ')}`,
    processes: { name: recipients > 1 ? `${server}, ${recipients} recipients` : server },
    measure: async ({ sms }, { seconds }) =>
      toFigures(await sms.measure(server, { recipients, ...load, seconds }), recipients),
  };
};

export const system = (connections: number, from = organisations) =>
  send('delivering', { connections, organisations: from });
export const direct = (connections: number, from = organisations) =>
  send('direct', { connections, organisations: from });
export const directDelivering = (connections: number) =>
  send('direct-delivering', { connections, organisations });
export const oneJob = (connections: number) => send('one-job', { connections, organisations });
export const bareRoute = (connections: number) => send('fastify', { connections, organisations });
/** Large requests come from fewer callers. */
const large = { connections: 8, organisations, recipients: manyRecipients };
export const systemLarge = send('delivering', large);
export const directLarge = send('direct', large);
export const directDeliveringLarge = send('direct-delivering', large);
export const systemToCarrier = send('delivering', {
  connections: 64,
  organisations,
  recipients: recipientsToCarrier,
});

export const kannelToCarrier: Point<MessagesRun> = {
  title: 'Kannel sendsms → fake SMSC, in memory',
  measure: async (run, { seconds }) => {
    const kannel = await run.kannel();
    return { final: await kannel.measure({ connections: 64, seconds, recipients: recipientsToCarrier }) };
  },
};

/** @throws if a request failed */
function toFigures(result: SmsResult, recipients: number): Figures {
  const { succeeded, perSecond, p50, finalPerSecond, cpu, wal, others } = result;
  if (Object.keys(others).length > 0) throw new Error(`Requests failed: ${JSON.stringify(others)}`);
  return {
    handled: succeeded * recipients,
    requests: perSecond,
    recipients: perSecond * recipients,
    p50,
    final: finalPerSecond,
    gateway: cpu.gateway,
    worker: cpu.worker,
    postgres: cpu.postgres,
    wal,
  };
}
