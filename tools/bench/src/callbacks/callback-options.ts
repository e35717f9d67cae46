import {
  availableBroker,
  flag,
  option,
  type OptionsOf,
  positive,
  type Reader,
  UsageError,
  whole,
} from '@gangan/testing';

/** One host of so many hangs. */
export const oneHangsOf = 5;

const hosts: Reader<number> = (text, name) => {
  const count = whole(text, name);
  if (count % oneHangsOf !== 0) throw new UsageError(`${name} must be a multiple of ${oneHangsOf}`);
  return count;
};

export const callbackOptions = {
  seconds: option(positive, '20', 'the length of a round'),
  rounds: option(whole, '5', 'how often both systems are measured; the medians of the ratios are shown'),
  hosts: option(
    hosts,
    '50',
    'number of hosts; a fifth of them hangs in one system and is absent in the other',
  ),
  rate: option(positive, '1', 'callbacks per second to each host'),
  on: option(availableBroker, 'postgres', 'the broker of the queue: redis or postgres'),
  assert: flag('fail unless hanging hosts slow down the healthy ones by at most 10 %'),
};

export type CallbackOptions = OptionsOf<typeof callbackOptions>;
