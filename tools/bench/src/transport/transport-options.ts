import {
  brokerKinds,
  flag,
  listOf,
  option,
  type OptionsOf,
  positive,
  type Reader,
  someOf,
  UsageError,
  whole,
} from '@gangan/testing';
import { defaultTuning, type QueueTuning } from '@gangan/queue';
import { wayNames } from '../ways/variants.js';

const tuning: Reader<Partial<QueueTuning>> = (text, option) => {
  const parts = text.split(',').filter((part) => part !== '');
  const pairs = parts.map((part) => {
    const [name = '', value = ''] = part.split('=', 2);
    if (Object.hasOwn(defaultTuning, name)) return [name, whole(value, `${option} ${name}`)] as const;
    throw new UsageError(`${option} accepts ${Object.keys(defaultTuning).join(', ')}, not "${name}"`);
  });
  return Object.fromEntries(pairs);
};

export const transportOptions = {
  seconds: option(positive, '2', 'how long each measurement takes'),
  rounds: option(whole, '3', 'how often each variant is measured; medians are shown'),
  connections: option(listOf(whole), '1,64,256', 'numbers of concurrent callers'),
  only: option(someOf(wayNames), wayNames.join(','), `some of ${wayNames.join(', ')}`, 'a,b'),
  on: option(someOf(brokerKinds), brokerKinds.join(','), 'the brokers to measure'),
  tuning: option(
    tuning,
    '',
    'settings of the transport, such as inFlightJobs=2,batchConcurrency=4',
    'name=value,…',
  ),
  assert: flag('fail unless the transport is fast enough'),
};

export type TransportOptions = OptionsOf<typeof transportOptions>;
