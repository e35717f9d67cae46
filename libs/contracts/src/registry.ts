import type { AppName, Contract } from '@gangan/protocol';
import * as airtime from './airtime/airtime.contract.js';
import * as callback from './callback/callback.contract.js';
import * as contact from './contact/contact.contract.js';
import * as delivery from './delivery/delivery.contract.js';
import * as inbound from './inbound/inbound.contract.js';
import * as inbox from './inbox/inbox.contract.js';
import * as link from './link/link.contract.js';
import * as lookup from './lookup/lookup.contract.js';
import * as otp from './otp/otp.contract.js';
import * as simulator from './simulator/simulator.contract.js';
import * as sms from './sms/sms.contract.js';
import * as optOut from './opt-out/opt-out.contract.js';
import * as template from './template/template.contract.js';

const isContract = (value: object): value is Contract => 'kind' in value;

/** All contracts. A worker refuses to start if one of its contracts has no handler. */
export const allContracts: readonly Contract[] = [
  airtime,
  callback,
  contact,
  delivery,
  inbound,
  inbox,
  link,
  lookup,
  otp,
  simulator,
  sms,
  optOut,
  template,
].flatMap((contracts) => Object.values<object>(contracts).filter(isContract));

export const contractsServedBy = (app: AppName): readonly Contract[] =>
  allContracts.filter(({ servedBy }) => servedBy === app);

export const contractsSentBy = (app: AppName): readonly Contract[] =>
  allContracts.filter(({ senders }) => senders.includes(app));
