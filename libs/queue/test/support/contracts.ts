import { defineEvent, defineRequest } from '@gangan/protocol';

export class Ask {
  text: string;
  /** How long the handler takes. */
  takeMs?: number;
}

export class Answer {
  text: string;
}

const ask = { queue: 'oracle', deadlineMs: 20_000, request: Ask, reply: Answer };

export const askValue = defineRequest({ ...ask, name: 'oracle.value', senders: ['gateway', 'oracle'] });
export const askPromise = defineRequest({ ...ask, name: 'oracle.promise' });
export const askStream = defineRequest({ ...ask, name: 'oracle.stream' });
export const askRefused = defineRequest({ ...ask, name: 'oracle.refused' });
export const askBroken = defineRequest({ ...ask, name: 'oracle.broken' });
export const askQuickly = defineRequest({ ...ask, name: 'oracle.quickly', deadlineMs: 300 });
export const askBriefly = defineRequest({ ...ask, name: 'oracle.briefly', deadlineMs: 5_000 });
export const askTogether = defineRequest({ ...ask, name: 'oracle.together' });
export const askUnhandled = defineRequest({ ...ask, name: 'oracle.unhandled' });
export const askEndless = defineRequest({ ...ask, name: 'oracle.endless' });
export const askAlone = defineRequest({ ...ask, name: 'oracle.alone', batch: false });
export const askLater = defineRequest({ ...ask, name: 'oracle.later', batch: false, lowPriority: true });
export const askHeavy = defineRequest({ ...ask, name: 'oracle.heavy', weigh: () => 600 });
export const askGuarded = defineRequest({ ...ask, name: 'oracle.guarded' });
export const askUnspeakable = defineRequest({ ...ask, name: 'oracle.unspeakable' });
export const askOnwards = defineRequest({ ...ask, name: 'oracle.onwards' });
export const askPatiently = defineRequest({ ...ask, name: 'oracle.patiently', deadlineMs: 60_000 });

export class Happened {
  text: string;
}

export const happened = defineEvent({
  queue: 'oracle',
  name: 'oracle.happened',
  event: Happened,
  attempts: 4,
  backoffMs: 50,
});
