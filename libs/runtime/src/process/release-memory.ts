import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loading an app takes some 30 MB that are never needed again. V8 gives them back once an idle process has seen a
 * full collection (within 20 s of it), but an idle process has no reason for one: this is it.
 */
export function releaseMemoryOfStart(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
