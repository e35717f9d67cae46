import { defineEvent, defineRequest } from '@gangan/protocol';
import { CallbackDue } from './callback.dto.js';
import {
  CallbackDetails,
  CallbackPage,
  FindCallbackRequest,
  ListCallbacksRequest,
} from './callback-log.dto.js';

const queue = 'callback';

/** Few attempts: if the event is lost, the sweeper finds the due row. */
export const callbackDue = defineEvent({ queue, name: 'callback.due', event: CallbackDue, attempts: 3 });

export const findCallback = defineRequest({
  queue,
  name: 'callback.find',
  deadlineMs: 5_000,
  request: FindCallbackRequest,
  reply: CallbackDetails,
});

export const listCallbacks = defineRequest({
  queue,
  name: 'callback.list',
  deadlineMs: 10_000,
  request: ListCallbacksRequest,
  reply: CallbackPage,
});

export const resendCallback = defineRequest({
  queue,
  name: 'callback.resend',
  deadlineMs: 5_000,
  request: FindCallbackRequest,
  reply: CallbackDetails,
});
