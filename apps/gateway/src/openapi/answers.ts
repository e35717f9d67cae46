import type { ReplyShape, RequestContract } from '@gangan/protocol';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteFacts } from '../http/route-facts.js';
import type { HeaderName } from './headers.js';

const answersKey = 'openapi:answers';
const chapterKey = 'openapi:chapter';

export interface OperationWords {
  readonly summary: string;
  /** More than the summary says: what it costs, what is special. */
  readonly description: string;
  /** Statuses that only this operation may answer besides those that follow from its inputs, such as 402. */
  readonly refuses?: readonly number[];
  /** What is taken, and what is answered, where that is not JSON. */
  readonly takes?: 'text/csv';
  readonly gives?: 'text/csv';
  /** Of a success, besides those that every answer has. */
  readonly headers?: readonly HeaderName[];
}

export interface DeclaredAnswer extends OperationWords {
  readonly shape: ReplyShape;
}

export interface Chapter {
  readonly name: string;
  readonly description: string;
}

/** What a route answers, as the contract it asks or as a class, and what it is for. */
export const Answers = (reply: ReplyShape | RequestContract, words: OperationWords): MethodDecorator =>
  isContract(reply)
    ? applyDecorators(answers(reply.reply, words), RouteFacts({ deadlineMs: reply.deadlineMs }))
    : answers(reply, words);

const answers = (shape: ReplyShape, words: OperationWords): MethodDecorator =>
  SetMetadata(answersKey, { ...words, shape } satisfies DeclaredAnswer);

/** The route is no part of the described interface: the description itself. */
export const Undocumented = (): MethodDecorator => SetMetadata(answersKey, 'nothing');

/** Under which heading a controller's routes are described. */
export const DescribedIn = (name: string, description: string): ClassDecorator =>
  SetMetadata(chapterKey, { name, description } satisfies Chapter);

export const answerOf = (method: object): DeclaredAnswer | 'nothing' | undefined =>
  Reflect.getMetadata(answersKey, method) as DeclaredAnswer | 'nothing' | undefined;

export const chapterOf = (controller: object): Chapter | undefined =>
  Reflect.getMetadata(chapterKey, controller) as Chapter | undefined;

const isContract = (reply: ReplyShape | RequestContract): reply is RequestContract =>
  typeof reply === 'object' && 'reply' in reply;
