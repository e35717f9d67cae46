import type { BrokerKind } from '@gangan/testing';

interface FaultKind {
  /**
   * What it disturbs: a process of any app, of any worker, or of messaging and airtime (`delivering`); answers of the
   * gateway or of Postgres; or a server.
   */
  readonly target: 'process' | 'worker' | 'delivering' | 'answers' | 'server';
  /** The server that it stops. Faults of one server follow each other. */
  readonly server?: 'postgres' | 'redis';
  /** Shortest and longest, in milliseconds. */
  readonly lasts: readonly [min: number, max: number];
  /** How often it is planned in a run of a minute. */
  readonly weight: number;
  readonly queue?: BrokerKind;
  readonly description: string;
}

const kinds = {
  'kill-process': {
    target: 'process',
    lasts: [0, 0],
    weight: 3,
    description: 'SIGKILL of an app, gateway included; its runner starts it again',
  },
  'stop-process': {
    target: 'process',
    lasts: [2_000, 90_000],
    weight: 2,
    description: 'SIGSTOP of an app for 2 to 90 s, beyond every lease, then SIGCONT',
  },
  'kill-at-commit': {
    target: 'delivering',
    lasts: [4_000, 8_000],
    weight: 5,
    description:
      'SIGKILL of messaging or airtime when Postgres has carried out a COMMIT, before the app learns of it',
  },
  'slow-then-kill': {
    target: 'process',
    lasts: [1_000, 3_000],
    weight: 2,
    description: 'answers of Postgres to an app take 200 ms, then SIGKILL: it dies between two statements',
  },
  'kill-postgres': {
    target: 'server',
    server: 'postgres',
    lasts: [500, 5_000],
    weight: 1,
    description: 'SIGKILL of all processes of Postgres, started again after a while',
  },
  'restart-postgres': {
    target: 'server',
    server: 'postgres',
    lasts: [0, 0],
    weight: 1,
    description: 'Postgres is stopped and started',
  },
  'cut-postgres': {
    target: 'process',
    lasts: [0, 0],
    weight: 1,
    description: 'all connections of an app to Postgres are reset',
  },
  'lose-answers': {
    target: 'answers',
    lasts: [1_000, 5_000],
    weight: 4,
    description:
      'answers are lost after the work: of the gateway to clients, or of Postgres to an app (a COMMIT)',
  },
  'flush-redis': {
    target: 'server',
    server: 'redis',
    lasts: [0, 0],
    weight: 1,
    queue: 'redis',
    description: 'FLUSHALL',
  },
  'restart-redis': {
    target: 'server',
    server: 'redis',
    lasts: [500, 5_000],
    weight: 1,
    queue: 'redis',
    description: 'SIGKILL of Redis, started again after a while',
  },
  'pause-redis': {
    target: 'server',
    server: 'redis',
    lasts: [1_000, 10_000],
    weight: 1,
    queue: 'redis',
    description: 'Redis answers nothing (CLIENT PAUSE)',
  },
  'wrong-clock': {
    target: 'worker',
    lasts: [5_000, 20_000],
    weight: 1,
    description: 'a worker whose clock is ten minutes fast or slow (needs faketime)',
  },
  'disk-full': {
    target: 'server',
    server: 'postgres',
    lasts: [1_000, 4_000],
    weight: 1,
    description: 'the disk of Postgres is full (a tmpfs; needs root)',
  },
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof kinds;

export const faultKinds: Readonly<Record<FaultName, FaultKind>> = kinds;

export const faultNames = Object.keys(kinds) as [FaultName, ...FaultName[]];
