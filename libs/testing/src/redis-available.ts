import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether `redis-server` is on the PATH. */
export const redisAvailable = (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
  try {
    accessSync(join(folder, 'redis-server'), constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

type Describe = ((name: string, tests: () => void) => void) & { skip: Describe };

/** `describe` if `redis-server` exists; otherwise the tests are skipped with a visible warning. */
export function describeWithRedis(name: string, tests: () => void): void {
  // Jest's own module exists only inside Jest, and this library is also used outside it.
  const { describe } = globalThis as unknown as { describe: Describe };
  if (redisAvailable) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`\n  !!  SKIPPED: "${name}" needs redis-server, which is not on the PATH  !!\n\n`);
  describe.skip(name, tests);
}
