import { faketimeLibrary } from './availability.js';

export type Clock = '+10m' | '-10m';

const reportClock = 'process.send?.({ type: "clock", now: Date.now() })';

/** The variables of a process with a wrong clock. When it starts, it sends its time to its parent. */
export const clockEnvironment = (clock: Clock): NodeJS.ProcessEnv => ({
  LD_PRELOAD: faketimeLibrary() ?? '',
  FAKETIME: clock,
  // Timers keep their pace.
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(reportClock)}`,
});

/** How far the clock of the process that has sent this message is off. `undefined` if the message does not say it. */
export function clockOffsetOf(message: unknown): number | undefined {
  const { type, now } = Object(message) as { type?: unknown; now?: unknown };
  return type === 'clock' && typeof now === 'number' ? now - Date.now() : undefined;
}

/** Half of what was asked for: the message takes some time. */
const minOffsetMs = 300_000;

/** What a wrong clock did; `undefined` if the clock was not wrong, or is not known. */
export function wrongClockEffect(clock: Clock, offsetMs = 0): string | undefined {
  const isFast = clock === '+10m';
  const wrongMs = isFast ? offsetMs : -offsetMs;
  if (wrongMs < minOffsetMs) return undefined;
  return `the clock was ${Math.round(wrongMs / 1_000)} s ${isFast ? 'fast' : 'slow'}`;
}
