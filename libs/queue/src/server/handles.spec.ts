import 'reflect-metadata';
import { defineEvent, defineRequest, type RequestContext } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import type { QueueClient } from '../client/queue-client.js';
import { type BatchMember, Handles, HandlesBatch, type TakenMembers } from './handles.decorator.js';

class Question {
  text: string;
}
class Answer {
  value: number;
}

const ask = defineRequest({ queue: 'q', name: 'q.ask', deadlineMs: 1, request: Question, reply: Answer });
const list = defineRequest({ queue: 'q', name: 'q.list', deadlineMs: 1, request: Question, reply: [Answer] });
const happened = defineEvent({ queue: 'q', name: 'q.happened', event: Question });

class Handlers {
  @Handles(ask)
  right({ text }: Question, context: RequestContext): Answer {
    return { value: text.length + context.requestId.length };
  }

  @Handles(list)
  rightList(): Promise<Answer[]> {
    return Promise.resolve([]);
  }

  // @ts-expect-error a reply of another shape
  @Handles(ask)
  wrongReply(): { value: string } {
    return { value: 'one' };
  }

  // @ts-expect-error one object where a list is promised
  @Handles(list)
  wrongList(): Answer {
    return { value: 1 };
  }

  @HandlesBatch(ask)
  rightTogether(members: readonly BatchMember<typeof ask>[]): TakenMembers<typeof ask> {
    return { members, replies: Promise.resolve(members.map(({ data }) => ({ value: data.text.length }))) };
  }

  // @ts-expect-error a reply of another shape
  @HandlesBatch(ask)
  wrongTogether(): { members: []; replies: Promise<{ value: string }[]> } {
    return { members: [], replies: Promise.resolve([]) };
  }

  // @ts-expect-error data of another shape
  @Handles(happened)
  wrongData(data: { other: number }): number {
    return data.other;
  }
}

/** Never called: it only has to compile, and where it says so, not to. */
export function callers(client: QueueClient): void {
  client.send(ask, { text: 'x' }).subscribe(({ value }) => value.toFixed());
  client.send(list, { text: 'x' }).subscribe((answers) => answers.length);
  // @ts-expect-error the data lacks its text
  client.send(ask, {});
  // @ts-expect-error an event has no answer to wait for
  client.send(happened, { text: 'x' });
  // @ts-expect-error a request is not an event
  client.emit(ask, { text: 'x' });
  // @ts-expect-error a string is no contract
  client.send('q.ask', { text: 'x' });
}

describe('@Handles', () => {
  it('marks the method for Nest with its contract', () => {
    const method: unknown = Object.getOwnPropertyDescriptor(Handlers.prototype, 'right')?.value;
    expect(Reflect.getMetadata('microservices:pattern', method as object)).toEqual(['q.ask']);
    expect(Reflect.getMetadata('microservices:pattern_extras', method as object)).toEqual({ contract: ask });
  });
});
