import type { BrokerKind } from '@gangan/testing';
import type { Way } from './way.js';

const modules = {
  fastify: () => import('./fastify.js'),
  direct: () => import('./direct.js'),
  'one-job': () => import('./one-job.js'),
  transport: () => import('./transport.js'),
  'in-process': () => import('./in-process.js'),
} satisfies Record<string, () => Promise<{ way: Way }>>;

export type WayName = keyof typeof modules;

/** In the order of the report. */
export const wayNames = Object.keys(modules) as WayName[];

export const titles: Record<WayName, string> = {
  fastify: 'bare Fastify',
  direct: 'direct SQL, no queue',
  'one-job': 'one job per request',
  transport: 'this transport',
  'in-process': 'batches, no queue',
};

export const loadWay = async (name: WayName): Promise<Way> => (await modules[name]()).way;

/** A way on a broker, with a worker. Ways without a queue have neither, and run once for all brokers. */
export interface Variant {
  readonly way: WayName;
  readonly broker?: BrokerKind;
}

const queued: readonly WayName[] = ['one-job', 'transport'];

export const variants = (only: readonly WayName[], brokers: readonly BrokerKind[]): Variant[] =>
  only.flatMap((way) => (queued.includes(way) ? brokers.map((broker) => ({ way, broker })) : [{ way }]));

export const nameOf = ({ way, broker }: Variant): string => (broker ? `${way} on ${broker}` : way);
