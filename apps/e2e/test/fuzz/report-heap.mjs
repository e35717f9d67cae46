import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Loaded into the processes of a fuzzed system: on SIGUSR2 a process collects garbage and writes its heap size in bytes.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${process.env.GANGAN_DATA_DIR}/heap-${process.pid}`, String(heapUsed + external));
});
