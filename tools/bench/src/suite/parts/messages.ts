import { part } from '../part.js';
import { atLeast, atMost } from '../scenario.js';
import { kannelToCarrier, large, messagesOn, send, toCarrier } from './message-points.js';

const system = send('delivering', { connections: 64 });
const direct = send('direct', { connections: 64 });
const oneOrganisation = { connections: 64, organisations: 1 };
const requests = { figure: 'requests', unit: 'req/s' } as const;
const recipients = { figure: 'recipients', unit: 'recipients/s' } as const;
/** With one connection there is nothing to batch. */
const latency = {
  figure: 'p50',
  unit: 'ms',
  of: send('delivering', { connections: 1 }),
  beside: send('one-job', { connections: 1 }),
} as const;

const processorTime = (
  figure: 'gateway' | 'worker' | 'postgres',
  of: string,
  most: number,
  limit: string,
) => ({
  name: `cpu-${figure}`,
  title: `processor time per message, ${of}`,
  figure,
  unit: 'µs',
  of: system,
  bar: atMost(most),
  limit,
  needs: ['proc'] as const,
});

export const messagesOnRedis = part(messagesOn('redis'), [
  {
    ...requests,
    name: 'send',
    title: 'POST /sms/send, Redis, 64 connections, 50 organisations',
    of: system,
    beside: direct,
    bar: atLeast(1.2),
    limit: 'processor time of Postgres, worker and gateway, in this order',
  },
  {
    ...requests,
    name: 'send-delivering',
    title: 'the same',
    of: system,
    beside: send('direct-delivering', { connections: 64 }),
    bar: atLeast(2),
    limit: 'the same',
  },
  {
    ...requests,
    name: 'send-256',
    title: 'the same, 256 connections',
    of: send('delivering', { connections: 256 }),
    beside: send('direct', { connections: 256 }),
    bar: atLeast(1.5),
    limit: 'the same; batches are larger',
  },
  {
    ...requests,
    name: 'send-organisations',
    title: 'the same, 50 organisations',
    of: system,
    beside: send('delivering', oneOrganisation),
    bar: atLeast(0.9),
    limit: 'one wallet row per organisation and batch',
  },
  {
    ...requests,
    name: 'send-one-organisation',
    title: 'the same, 1 organisation',
    of: send('delivering', oneOrganisation),
    beside: send('direct', oneOrganisation),
    bar: atLeast(2),
    limit: 'direct SQL waits for the lock of one wallet',
  },
  {
    ...requests,
    name: 'send-one-job',
    title: 'POST /sms/send, Redis, 64 connections, 50 organisations',
    of: system,
    beside: send('one-job', { connections: 64 }),
    bar: atLeast(4),
    limit: 'the cost of a job and a commit per message, which batches share',
  },
  {
    ...requests,
    name: 'send-fastify',
    title: 'POST /sms/send, Redis, 64 connections, 50 organisations',
    of: system,
    beside: send('fastify', { connections: 64 }),
    bar: atLeast(0.08),
    limit: 'the whole work of a message',
  },
  {
    ...latency,
    name: 'send-latency',
    title: 'POST /sms/send, Redis, one connection, p50',
    bar: atMost(1.2),
    limit: 'the commit, and two hops through Redis',
  },
  {
    ...recipients,
    name: 'send-1000',
    title: 'POST /sms/send, Redis, 1,000 recipients per request',
    of: send('delivering', large),
    beside: send('direct', large),
    bar: atLeast(0.45),
    limit: 'delivery takes its share of the same cores; direct SQL only accepts',
  },
  {
    ...recipients,
    name: 'send-1000-delivering',
    title: 'the same',
    of: send('delivering', large),
    beside: send('direct-delivering', large),
    bar: atLeast(1.2),
    limit: 'the carrier takes 100 messages per request, each with statements of its own',
  },
  {
    name: 'send-kannel',
    title: '10 recipients per request, until final',
    figure: 'final',
    unit: 'recipients/s',
    of: send('delivering', toCarrier),
    beside: kannelToCarrier,
    bar: atLeast(0.5),
    limit: 'Postgres: charge, deliveries and reports are committed; Kannel stores nothing',
    needs: ['kannel'],
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
    bar: atMost(4.3),
    limit: 'the same',
  },
]);

export const messagesOnPostgres = part(messagesOn('postgres'), [
  {
    ...requests,
    name: 'send-postgres',
    title: 'POST /sms/send, queue on Postgres, 64 connections, 50 organisations',
    of: system,
    beside: direct,
    bar: atLeast(0.95),
    limit: 'the queue takes processor time of the same Postgres',
  },
  {
    ...latency,
    name: 'send-latency-postgres',
    title: 'POST /sms/send, queue on Postgres, one connection, p50',
    bar: atMost(1.4),
    limit: 'the commit, and two hops through Postgres',
  },
]);
