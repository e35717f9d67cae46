import type { BrokerKind } from '@gangan/testing';
import { organisations, type SmsLoad, SmsRun } from '../../sms/sms-run.js';
import type { SmsServerName } from '../../sms/sms-servers.js';
import type { Part } from '../scenario.js';

const titles: Readonly<Record<SmsServerName, string>> = {
  delivering: 'the system',
  direct: 'direct SQL',
  'direct-delivering': 'direct SQL that also delivers',
  'one-job': 'one BullMQ job per request',
};

const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

/** By point. */
const loads = new Map<string, SmsLoad>();

/** A point: `POST /sms/send` to one of the servers. */
function send(server: SmsServerName, given: Omit<SmsLoad, 'server'>): string {
  const { connections, recipients = 1, organisations: count = organisations } = given;
  const details = [counted(connections, 'connection'), counted(count, 'organisation')];
  if (recipients > 1) details.push(counted(recipients, 'recipient'));
  const point = [titles[server], ...details].join(', ');
  loads.set(point, { server, ...given });
  return point;
}

const system = send('delivering', { connections: 64 });
const direct = send('direct', { connections: 64 });
const oneOrganisation = { connections: 64, organisations: 1 };
/** Large requests come from fewer callers. */
const large = { connections: 8, recipients: 1_000 };
const requests = { figure: 'requests', unit: 'req/s' };
const recipients = { figure: 'recipients', unit: 'recipients/s', of: send('delivering', large) };
/** With one connection there is nothing to batch. */
const latency = {
  figure: 'p50',
  unit: 'ms',
  of: send('delivering', { connections: 1 }),
  beside: send('one-job', { connections: 1 }),
};

const processorTime = (figure: string, of: string, atMost: number, limit: string) => ({
  name: `cpu-${figure}`,
  title: `processor time per message, ${of}`,
  figure,
  unit: 'µs',
  of: system,
  bar: { atMost },
  limit,
  needs: ['proc'] as const,
});

const messagesOn = (broker: BrokerKind, scenarios: Part['scenarios']): Part => ({
  title: `messages, queue on ${broker}`,
  needs: broker === 'redis' ? ['redis'] : [],
  scenarios,
  open: async (resources) => {
    const run = await SmsRun.start(broker, resources);
    return {
      measure: (point, { seconds }) => {
        const load = loads.get(point);
        if (!load) throw new Error(`There is no load ${point}`);
        return run.measure(load, seconds);
      },
      verify: () => run.audit(),
    };
  },
});

export const messagesOnRedis = messagesOn('redis', [
  {
    ...requests,
    name: 'send',
    title: 'POST /sms/send, Redis, 64 connections, 50 organisations',
    of: system,
    beside: direct,
    bar: { atLeast: 1.2 },
    limit: 'processor time of Postgres, worker and gateway, in this order',
  },
  {
    ...requests,
    name: 'send-delivering',
    title: 'the same',
    of: system,
    beside: send('direct-delivering', { connections: 64 }),
    bar: { atLeast: 2 },
    limit: 'the same',
  },
  {
    ...requests,
    name: 'send-256',
    title: 'the same, 256 connections',
    of: send('delivering', { connections: 256 }),
    beside: send('direct', { connections: 256 }),
    bar: { atLeast: 1.5 },
    limit: 'the same; batches are larger',
  },
  {
    ...requests,
    name: 'send-one-organisation',
    title: 'the same, 1 organisation',
    of: send('delivering', oneOrganisation),
    beside: send('direct', oneOrganisation),
    bar: { atLeast: 2 },
    limit: 'direct SQL waits for the lock of one wallet',
  },
  {
    ...requests,
    name: 'send-one-job',
    title: 'POST /sms/send, Redis, 64 connections, 50 organisations',
    of: system,
    beside: send('one-job', { connections: 64 }),
    bar: { atLeast: 4 },
    limit: 'the cost of a job and a commit per message, which batches share',
  },
  {
    ...latency,
    name: 'send-latency',
    title: 'POST /sms/send, Redis, one connection, p50',
    bar: { atMost: 1.2 },
    limit: 'the commit, and two hops through Redis',
  },
  {
    ...recipients,
    name: 'send-1000',
    title: 'POST /sms/send, Redis, 1,000 recipients per request',
    beside: send('direct', large),
    bar: { atLeast: 0.45 },
    limit: 'delivery takes its share of the same cores; direct SQL only accepts',
  },
  {
    ...recipients,
    name: 'send-1000-delivering',
    title: 'the same',
    beside: send('direct-delivering', large),
    bar: { atLeast: 1.2 },
    limit: 'the carrier takes 100 messages per request, each with statements of its own',
  },
  processorTime('gateway', 'gateway', 320, 'HTTP, validation, sealing, queue client'),
  processorTime('worker', 'messaging worker', 275, 'accepting and delivering a message'),
  processorTime('postgres', 'Postgres', 440, 'rows and index entries of a message and its delivery'),
  {
    name: 'wal',
    title: 'write-ahead log per message',
    figure: 'wal',
    unit: 'KB',
    of: system,
    bar: { atMost: 4.3 },
    limit: 'the same',
  },
]);

export const messagesOnPostgres = messagesOn('postgres', [
  {
    ...requests,
    name: 'send-postgres',
    title: 'POST /sms/send, queue on Postgres, 64 connections, 50 organisations',
    of: system,
    beside: direct,
    bar: { atLeast: 0.95 },
    limit: 'the queue takes processor time of the same Postgres',
  },
  {
    ...latency,
    name: 'send-latency-postgres',
    title: 'POST /sms/send, queue on Postgres, one connection, p50',
    bar: { atMost: 1.4 },
    limit: 'the commit, and two hops through Postgres',
  },
]);
