import {
  availableBroker,
  listOf,
  oneOf,
  option,
  type OptionsOf,
  type Reader,
  someOf,
  UsageError,
  whole,
  wholeFrom,
} from '@gangan/testing';
import { faultNames } from './plan/fault-kinds.js';

/** `7` or `1-20`. */
const seeds: Reader<readonly number[]> = (text, name) => {
  const [, first, last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (!(from <= to)) throw new UsageError(`${name} must be a number or a range such as 1-20, not "${text}"`);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
};

/** What happens to the system during the traffic. */
export const planNames = ['faults', 'rolling-restart'] as const;

export type PlanName = (typeof planNames)[number];

const anyText: Reader<string> = (text) => text;

export const chaosOptions = {
  seed: option(seeds, '1', 'the plan of faults and traffic: 7, or a campaign of runs such as 1-20', '1'),
  queue: option(
    listOf(availableBroker),
    'postgres',
    'what the queue runs on: postgres, redis or both',
    'postgres',
  ),
  plan: option(
    oneOf(planNames),
    'faults',
    'faults, or rolling-restart: each process in turn, in order, behind HAProxy; clients see no error',
  ),
  seconds: option(whole, '60', 'how long traffic and faults last'),
  rate: option(whole, '15', 'intents per second that change something'),
  reads: option(wholeFrom(0), '0', 'lookups and reads of balances per second'),
  sends: option(wholeFrom(0), '0', 'exactly so many messages; 0 follows the rate'),
  purchases: option(wholeFrom(0), '0', 'exactly so many airtime purchases; 0 follows the rate'),
  faults: option(someOf(faultNames), faultNames.join(), 'only these faults', 'a,b'),
  count: option(wholeFrom(0), '0', 'exactly so many faults; 0 is one in two and a half seconds'),
  workers: option(whole, '2', 'processes of each app; faults need only one of lookup'),
  settle: option(whole, '180', 'seconds after the last fault and answer in which everything must be final'),
  out: option(anyText, '', 'write one JSON per run here; runs that have a result are skipped', 'FOLDER'),
};

export type ChaosOptions = OptionsOf<typeof chaosOptions>;
