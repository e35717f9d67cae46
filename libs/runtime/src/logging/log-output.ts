import { type DestinationStream, pino } from 'pino';

export interface LogOutput extends DestinationStream {
  flushSync(): void;
}

/** Standard output, written beside the work and not in its way: flush it before the process ends. */
export function openLogOutput(): LogOutput {
  const output = pino.destination({ dest: 1, sync: false });
  // Whoever read our lines is gone. There is nobody left to tell, and what runs must still be finished.
  output.on('error', () => undefined);
  return {
    write: (line) => output.write(line),
    flushSync: () => {
      try {
        output.flushSync();
      } catch {
        // Not opened yet, or the reader is gone.
      }
    },
  };
}
