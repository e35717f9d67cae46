import { flag, option, type OptionsOf, type Reader, UsageError } from '../options/options.js';
import { availableBroker, positive, whole } from '../options/readers.js';

/** Of so many hosts, one hangs. */
export const oneHangsOf = 5;

const hosts: Reader<number> = (text, name) => {
  const count = whole(text, name);
  if (count % oneHangsOf !== 0) throw new UsageError(`${name} wants a multiple of ${oneHangsOf}`);
  return count;
};

export const callbackOptions = {
  seconds: option(positive, '20', 'how long a round takes'),
  rounds: option(whole, '5', 'how often both systems are measured; medians of the ratios are shown'),
  hosts: option(hosts, '50', 'consumers, of which a fifth hangs in one system and is absent in the other'),
  rate: option(positive, '1', 'callbacks a second to each'),
  on: option(availableBroker, 'postgres', 'where the queue lives: redis or postgres'),
  assert: flag('fail unless the healthy hosts are within 10 % of a run without the others'),
};

export type CallbackOptions = OptionsOf<typeof callbackOptions>;
