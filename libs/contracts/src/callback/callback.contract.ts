import { queueContracts, shortDeadline } from '../queue-contracts.js';
import { RecordEvent, RecordId } from '../record-id.dto.js';
import { CallbackDetails, CallbackPage, ListCallbacksRequest } from './callback-log.dto.js';

const { request, event } = queueContracts('callback');

/** Few attempts: if the event is lost, the sweeper finds the due row. */
export const callbackDue = event('callback.due', RecordEvent, { attempts: 3 });

export const findCallback = request('callback.find', RecordId, CallbackDetails, shortDeadline);
export const listCallbacks = request('callback.list', ListCallbacksRequest, CallbackPage);
export const resendCallback = request('callback.resend', RecordId, CallbackDetails, shortDeadline);
