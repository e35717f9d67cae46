import { defineRequest } from '@gangan/protocol';

export class EchoRequest {
  text: string;
  /** Answer only after so long. */
  afterMs: number;
}

export class EchoReply {
  text: string;
}

export const echo = defineRequest({
  queue: 'echo',
  name: 'echo.say',
  deadlineMs: 15_000,
  request: EchoRequest,
  reply: EchoReply,
});

/** `echo`, served by another worker. */
export const echoOf = (worker: string): typeof echo => ({ ...echo, servedBy: worker });

/** Of another worker. */
export const shout = defineRequest({
  queue: 'shout',
  name: 'shout.say',
  deadlineMs: 15_000,
  request: EchoRequest,
  reply: EchoReply,
});
