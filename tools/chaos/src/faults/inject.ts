import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultName } from '../plan/fault-kinds.js';
import type { PlannedFault } from '../plan/plan-faults.js';
import type { Random } from '../plan/random.js';
import type { ChaosSystem } from '../system/chaos-system.js';
import { clockEnvironment, wrongClockEffect } from './clock.js';
import { type LostAnswer, parseLostAnswer } from './lost-answer.js';
import { isCommit, isStatement } from './postgres-messages.js';

/** What a fault needs: the system, its plan, and a wait that ends early when the run is interrupted. */
interface Injection {
  readonly system: ChaosSystem;
  readonly planned: PlannedFault;
  readonly random: Random;
  readonly onLostAnswer: (answer: LostAnswer) => void;
  /** Waits for the duration of the fault. */
  readonly wait: () => Promise<void>;
}

/** What a fault did; `undefined` if there was nothing to disturb. */
export type Effect = string | undefined;

type Inject = (injection: Injection) => Promise<Effect>;

/** For Postgres to recover by itself when its disk is no longer full. */
const recoveryMs = 5_000;
/** Answers of Postgres that a slow app waits for. */
const slowMs = 200;
/** The share of answers that is lost while answers are lost. */
const lostShare = { clients: 0.5, statement: 0.05, commit: 0.5 };

const injectors: Readonly<Record<FaultName, Inject>> = {
  'kill-process': ({ system, planned }) =>
    Promise.resolve(system.processNamed(planned.target).kill() ? 'killed' : undefined),
  'stop-process': async ({ system, planned, wait }) => {
    const resume = system.processNamed(planned.target).suspend();
    await wait().finally(resume);
    return resume && 'stopped';
  },
  'kill-at-commit': async ({ system, planned, wait }) => {
    const process = system.processNamed(planned.target);
    let commits = planned.commit;
    const isLast = (request: Buffer): boolean => isCommit(request) && (commits -= 1) === 0;
    let effect: Effect;
    const keepAnswers = process.database.loseAnswers(isLast, () => {
      if (process.kill()) effect = 'killed';
    });
    await wait();
    keepAnswers();
    return effect;
  },
  'slow-then-kill': async ({ system, planned, wait }) => {
    const process = system.processNamed(planned.target);
    process.database.delayAnswers(slowMs);
    await wait();
    const killed = process.kill();
    process.database.delayAnswers(0);
    return killed ? 'killed' : undefined;
  },
  'kill-postgres': async ({ system, wait }) => {
    await system.postgres.kill();
    await wait();
    await system.postgres.restart();
    return 'killed';
  },
  'restart-postgres': async ({ system }) => {
    await system.postgres.restart();
    return 'restarted';
  },
  'cut-postgres': ({ system, planned }) => {
    const count = system.processNamed(planned.target).database.cut();
    return Promise.resolve(count > 0 ? `${count} connections reset` : undefined);
  },
  'lose-answers': async ({ system, planned, random, onLostAnswer, wait }) => {
    const toClients = planned.target === 'clients';
    const proxies = toClients ? system.clients : [system.processNamed(planned.target).database];
    const shareOf = (request: Buffer): number => {
      if (toClients) return lostShare.clients;
      if (isCommit(request)) return lostShare.commit;
      return isStatement(request) ? lostShare.statement : 0;
    };
    let lost = 0;
    const onLost = (answer: Buffer, request: Buffer): void => {
      lost += 1;
      const parsed = toClients ? parseLostAnswer(request, answer) : undefined;
      if (parsed) onLostAnswer(parsed);
    };
    const ends = proxies.map((proxy) =>
      proxy.loseAnswers((request) => random.chance(shareOf(request)), onLost),
    );
    await wait();
    for (const keepAnswers of ends) keepAnswers();
    return lost > 0 ? `${lost} answers lost` : undefined;
  },
  'flush-redis': async ({ system }) => {
    await system.redis?.flush();
    return 'flushed';
  },
  'restart-redis': async ({ system, wait }) => {
    await system.redis?.kill();
    await wait();
    await system.redis?.restart();
    return 'killed';
  },
  'pause-redis': async ({ system, planned, wait }) => {
    await system.redis?.command(`CLIENT PAUSE ${planned.durationMs} ALL`);
    await wait();
    return 'paused';
  },
  'wrong-clock': async ({ system, planned, wait }) => {
    const process = system.processNamed(planned.target);
    process.restartWith(clockEnvironment(planned.clock));
    await wait();
    // On a slow machine, the start of the process may take longer than the fault.
    await until(`${process.name} reports its clock`, () => process.clockOffsetMs !== undefined).catch(
      () => undefined,
    );
    const effect = wrongClockEffect(planned.clock, process.clockOffsetMs);
    process.restartWith({});
    return effect;
  },
  'disk-full': async ({ system, wait }) => {
    await system.disk?.fill();
    const isFull = await system.disk?.isFull();
    await wait();
    system.disk?.free();
    await restartIfDown(system);
    return isFull ? 'full' : undefined;
  },
};

/** Postgres ends if it cannot write its log, and cannot recover while the disk is full. */
async function restartIfDown({ database, postgres }: ChaosSystem): Promise<void> {
  const isServing = (): Promise<boolean> =>
    database.query(sql`SELECT 1`).then(
      () => true,
      () => false,
    );
  await until('Postgres answers', isServing, { timeoutMs: recoveryMs }).catch(() => postgres.restart());
}

export class FaultInjector {
  readonly lostAnswers: LostAnswer[] = [];

  constructor(
    private readonly system: ChaosSystem,
    private readonly random: Random,
    private readonly interrupted: AbortSignal,
  ) {}

  /** Returns when the fault is over. */
  inject(planned: PlannedFault): Promise<Effect> {
    const wait = (): Promise<void> => pause(planned.durationMs, undefined, { signal: this.interrupted });
    const { system, random } = this;
    const onLostAnswer = (answer: LostAnswer) => this.lostAnswers.push(answer);
    return injectors[planned.fault]({ system, planned, random, onLostAnswer, wait });
  }
}
