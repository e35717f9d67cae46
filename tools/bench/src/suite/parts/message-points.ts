import type { BrokerKind } from '@gangan/testing';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { KannelRun } from '../../kannel/kannel-run.js';
import { assertAllSucceeded } from '../../load/load-generator.js';
import type { SmsServerName } from '../../sms/sms-servers.js';
import { SmsRun, type SmsResult } from '../../sms/sms-run.js';
import type { Figures, Group, Point } from '../scenario.js';

export const organisations = 50;

/** The messaging system on a broker, and Kannel, which is started by the first call. */
export interface MessagesRun {
  readonly sms: SmsRun;
  readonly kannel: () => Promise<KannelRun>;
}

export const messagesOn = (broker: BrokerKind): Group<MessagesRun> => ({
  title: `messages, queue on ${broker}`,
  needs: broker === 'redis' ? ['redis'] : [],
  open: async (resources) => {
    const sms = await SmsRun.start(await BenchEnvironment.start(broker, resources), organisations);
    let started: Promise<KannelRun> | undefined;
    return { sms, kannel: () => (started ??= KannelRun.start(resources)) };
  },
  verify: ({ sms }) => sms.audit(),
});

const titles: Readonly<Record<SmsServerName, string>> = {
  delivering: 'the system',
  direct: 'direct SQL',
  'direct-delivering': 'direct SQL that also delivers',
  'one-job': 'one BullMQ job per request',
  fastify: 'bare Fastify route',
};

interface PointLoad {
  readonly connections: number;
  readonly organisations?: number;
  readonly recipients?: number;
}

/** `POST /sms/send` to one of the servers. */
export function send(server: SmsServerName, given: PointLoad): Point<MessagesRun> {
  const load = { organisations, recipients: 1, ...given };
  const { connections, recipients } = load;
  const details = [
    `${connections} connection${connections === 1 ? '' : 's'}`,
    `${load.organisations} organisation${load.organisations === 1 ? '' : 's'}`,
    ...(recipients > 1 ? [`${recipients.toLocaleString('en')} recipients`] : []),
  ];
  return {
    title: `${titles[server]}, ${details.join(', ')}`,
    processes: { name: recipients > 1 ? `${server}, ${recipients} recipients` : server },
    measure: async ({ sms }, { seconds }) =>
      toFigures(await sms.measure(server, { ...load, seconds }), recipients),
  };
}

/** Large requests come from fewer callers. */
export const large = { connections: 8, recipients: 1_000 };
export const toCarrier = { connections: 64, recipients: 10 };

export const kannelToCarrier: Point<MessagesRun> = {
  title: 'Kannel sendsms → fake SMSC, in memory',
  measure: async (run, { seconds }) => {
    const kannel = await run.kannel();
    return { final: await kannel.measure({ ...toCarrier, seconds }) };
  },
};

/** @throws if a request failed */
function toFigures(result: SmsResult, recipients: number): Figures {
  assertAllSucceeded(result);
  const { succeeded, perSecond, p50, finalPerSecond, gateway, worker, postgres, wal } = result;
  return {
    handled: succeeded * recipients,
    requests: perSecond,
    recipients: perSecond * recipients,
    p50,
    final: finalPerSecond,
    gateway,
    worker,
    postgres,
    wal,
  };
}
