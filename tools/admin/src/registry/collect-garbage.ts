import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Left to itself, Node lets the garbage of a long file grow for as long as the machine has memory. The limits of its
 * heap can only be set when a process starts, which is not this command's to say.
 */
export function makeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
