import type { Dto } from '@gangan/protocol';
import { queueContracts, shortDeadline, slow } from '../queue-contracts.js';
import { RecordId } from '../record-id.dto.js';
import { CallbackDetails, CallbackPage, ListCallbacksRequest } from './callback-log.dto.js';
import { CallbacksDue } from './callbacks-due.dto.js';
import {
  BalanceThreshold,
  CallbackEndpoint,
  CallbackEndpoints,
  ChangeBalanceThreshold,
  ChangeEndpointRequest,
  NewEndpointRequest,
  NewCallbackEndpoint,
  RecoveredCallbacks,
  RecoverRequest,
  RotatedSecret,
  RotateSecretRequest,
} from './endpoint.dto.js';

const { request, event } = queueContracts('callback', 'callback');

/** The organisation of the context decides whose endpoints are listed. */
const noFields: Dto<object> = Object;

/** Few attempts: if the event is lost, the sweeper finds the due rows. */
export const callbacksDue = event('callback.due', CallbacksDue, {
  senders: ['messaging', 'airtime'],
  attempts: 3,
});

export const findCallback = request('callback.find', RecordId, CallbackDetails, shortDeadline);
export const listCallbacks = request('callback.list', ListCallbacksRequest, CallbackPage);
export const resendCallback = request('callback.resend', RecordId, CallbackDetails, shortDeadline);

export const createEndpoint = request(
  'endpoint.create',
  NewEndpointRequest,
  NewCallbackEndpoint,
  shortDeadline,
);
export const findEndpoint = request('endpoint.find', RecordId, CallbackEndpoint, shortDeadline);
export const listEndpoints = request('endpoint.list', noFields, CallbackEndpoints, shortDeadline);
export const changeEndpoint = request(
  'endpoint.change',
  ChangeEndpointRequest,
  CallbackEndpoint,
  shortDeadline,
);
export const rotateEndpointSecret = request(
  'endpoint.rotate-secret',
  RotateSecretRequest,
  RotatedSecret,
  shortDeadline,
);
export const testEndpoint = request('endpoint.test', RecordId, CallbackDetails, shortDeadline);
export const recoverEndpoint = request('endpoint.recover', RecoverRequest, RecoveredCallbacks, slow);
export const removeEndpoint = request('endpoint.remove', RecordId, CallbackEndpoint, shortDeadline);

export const findBalanceThreshold = request(
  'balance-threshold.find',
  noFields,
  BalanceThreshold,
  shortDeadline,
);
export const changeBalanceThreshold = request(
  'balance-threshold.change',
  ChangeBalanceThreshold,
  BalanceThreshold,
  shortDeadline,
);
